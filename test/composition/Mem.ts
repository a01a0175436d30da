/**
 * The built program as its users have it: a process of its own, given words, standard input and an environment.
 */
import { Effect, type Scope } from "effect"
import { constVoid } from "effect/Function"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { PassThrough, pipeline, Readable, type Writable } from "node:stream"
import { fileURLToPath } from "node:url"

const bundle = fileURLToPath(new URL("../../dist/bin/mem.mjs", import.meta.url))

export interface Given {
  /** Nothing if not given; a number is an open file instead of a pipe. */
  readonly stdin?: string | Uint8Array | Readable | number
  readonly env?: { readonly [name: string]: string }
  readonly cwd?: string
  /** An open file instead of a pipe. */
  readonly stdout?: number
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly stdin: Writable
  /** The next line of standard output, without its end; undefined when there are no more. */
  readonly line: Effect.Effect<string | undefined>
  /** The next line of standard error. */
  readonly errorLine: Effect.Effect<string | undefined>
  /** The reader of standard output, or of standard error, goes away. */
  readonly close: (output: "stdout" | "stderr") => Effect.Effect<void>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Standard output is what was not taken as a line. */
  readonly ended: Effect.Effect<Ended>
}

const running = (child: ChildProcess, stdin: Writable): Running => {
  const read = { stdout: "", stderr: "" }
  let end: Ended | undefined
  const waiting: Array<() => void> = []
  const wake = () => waiting.splice(0).forEach((resume) => resume())
  for (const output of ["stdout", "stderr"] as const) {
    child[output]?.setEncoding("utf8").on("data", (text: string) => {
      read[output] += text
      wake()
    }).on("error", constVoid)
  }
  child.on("close", (code, signal) => {
    end = { code, signal, ...read }
    wake()
  })
  const until = <A>(look: () => { readonly found: A } | undefined): Effect.Effect<A> =>
    Effect.async((resume) => {
      const attempt = (): void => {
        const now = look()
        if (now === undefined) waiting.push(attempt)
        else resume(Effect.succeed(now.found))
      }
      attempt()
    })
  const lineOf = (output: "stdout" | "stderr") =>
    until(() => {
      const at = read[output].indexOf("\n")
      if (at < 0) return end === undefined ? undefined : { found: undefined }
      const found = read[output].slice(0, at)
      read[output] = read[output].slice(at + 1)
      return { found }
    })
  return {
    stdin,
    line: lineOf("stdout"),
    errorLine: lineOf("stderr"),
    close: (output) => Effect.sync(() => child[output]?.destroy()),
    kill: (signal) => Effect.sync(() => child.kill(signal)),
    ended: until(() => end === undefined ? undefined : { found: { ...end, ...read } })
  }
}

/**
 * Starts node with these words; it is killed when the scope ends before it does. The environment is only what is
 * given: neither a NO_COLOR nor a MEM_HOME of whoever runs the tests reaches it.
 */
export const start = (args: ReadonlyArray<string>, given: Given = {}): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, args, {
          cwd: given.cwd,
          env: { ...given.env },
          stdio: [typeof given.stdin === "number" ? given.stdin : "pipe", given.stdout ?? "pipe", "pipe"]
        })
        const stdin = child.stdin ?? new PassThrough()
        // Whoever stops reading early is judged by the exit code.
        stdin.on("error", constVoid)
        if (given.stdin instanceof Readable) pipeline(given.stdin, stdin, constVoid)
        else if (typeof given.stdin !== "number" && given.stdin !== undefined) stdin.end(given.stdin)
        return { child, run: running(child, stdin) }
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    ({ run }) => run
  )

/** Runs node with these words to its end. */
export const node = (args: ReadonlyArray<string>, given: Given = {}): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(start(args, { stdin: "", ...given }), ({ ended }) => ended))

/** Runs `mem` with these words to its end. */
export const mem = (args: ReadonlyArray<string>, given: Given = {}): Effect.Effect<Ended> =>
  node([bundle, ...args], given)

/** Starts `mem` with these words; its standard input stays open until the test ends it. */
export const startMem = (args: ReadonlyArray<string>, given: Given = {}): Effect.Effect<Running, never, Scope.Scope> =>
  start([bundle, ...args], given)

/** A folder with these files, gone when the scope ends. */
export const folder = (
  files: { readonly [name: string]: string | Uint8Array } = {}
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "mem "))
      for (const [name, content] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
        fs.writeFileSync(path.join(root, name), content)
      }
      return root
    }),
    (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true }))
  )
