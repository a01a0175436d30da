/**
 * Steps of the log's protocol taken away, one at a time, by an operation of the disk that does less than it says. The
 * campaign has to notice each of them, or it would not notice if the product left the step out.
 */
import * as Effect from "effect/Effect"
import type { LogFile, LogFs } from "../../services/LogFs.ts"

type Fs = LogFs["Type"]

const withFile = (change: (file: LogFile) => LogFile) => (fs: Fs): Fs => ({
  ...fs,
  open: (path, mode) => Effect.map(fs.open(path, mode), change)
})

export interface Mutant {
  readonly name: string
  readonly mutant: (fs: Fs) => Fs
  /** The kind of trouble that shows it. */
  readonly shownBy: string
}

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "no write is put on the disk for certain",
    mutant: withFile((file) => ({ ...file, datasync: Effect.void, sync: Effect.void })),
    shownBy: "the power goes"
  },
  {
    name: "no folder is put on the disk for certain",
    mutant: (fs) => ({ ...fs, syncDir: () => Effect.void }),
    shownBy: "the power goes"
  },
  {
    name: "a sync that failed is tried again",
    mutant: withFile((file) => ({
      ...file,
      datasync: Effect.orElse(file.datasync, () => file.datasync),
      sync: Effect.orElse(file.sync, () => file.sync)
    })),
    shownBy: "the device fails, once"
  },
  {
    name: "nobody looks how much was written",
    mutant: withFile((file) => ({
      ...file,
      write: (offset, bytes) => Effect.as(file.write(offset, bytes), bytes.length)
    })),
    shownBy: "a write is short"
  }
]
