/**
 * The operations of a LogFs by name, and what a failed one is called in a message: the same on every backend.
 *
 * @since 0.1.0
 */
import { type FsReason, LogFsError } from "../../src/domain/LogErrors.ts"

const words = {
  open: "open",
  create: "create",
  size: "measure",
  read: "read",
  write: "write",
  truncate: "truncate",
  datasync: "sync",
  sync: "sync",
  list: "list",
  makeDir: "make the folder",
  rename: "rename",
  unlink: "remove",
  syncDir: "sync the folder",
  writable: "write in",
  free: "measure the free space of"
} as const

/**
 * @since 0.1.0
 * @category models
 */
export type Operation = keyof typeof words

/**
 * The error of one operation on one path.
 *
 * @since 0.1.0
 * @category constructors
 */
export const failure = (operation: Operation, path: string, reason: FsReason, cause: unknown): LogFsError =>
  new LogFsError({ operation: words[operation], path, reason, cause })
