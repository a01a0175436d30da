/**
 * The process of an engine, as the program sees it: started, asked, and ended with the scope.
 *
 * It is a process and no thread, since onnxruntime-node bears neither a second thread nor the end of one: "Module did
 * not self-register" (huggingface/transformers.js#651), crashes (microsoft/onnxruntime#20084), a heap that is no longer
 * whole. So a crash of native code is an error here, and the process can be ended within a batch. While it is idle it
 * does not keep the program alive; while it was asked, it does.
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork } from "node:child_process"
import { existsSync } from "node:fs"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import type { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"
import { brokenEngine, EngineUnusable } from "./Failure.ts"
import type { Loadable } from "./Loadable.ts"
import { messageOf } from "./Message.ts"
import type { Answer, Reply, Request, Start } from "./Protocol.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface EngineProcess {
  /** One vector for each sequence of pieces, in order. */
  readonly run: (
    sequences: ReadonlyArray<ReadonlyArray<number>>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>
  /** What the system calls it, for whoever watches it. */
  readonly pid: number | undefined
  /** Whether it is still there. One that has ended answers nothing any more. */
  readonly isAlive: Effect.Effect<boolean>
}

/**
 * `name` is how messages call the engine. Without `loadable` it is only probed.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProcessOptions extends Pick<Start, "engine" | "options"> {
  readonly name: string
  readonly loadable?: Loadable
}

/** It stands beside this module and has its extension: in the sources, in the library, in the bundled program. */
const extension = extname(import.meta.url)
const entry = fileURLToPath(new URL(`./EngineWorker${extension}`, import.meta.url))

/** Of these, Node reads the sources only with the loader of those who develop them. */
const execArgv = extension === ".ts" ? ["--import", "tsx"] : []

interface Waiting {
  readonly sequences: number
  readonly resume: (answer: Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>) => void
}

const vectorsOf = (values: Float32Array, n: number): ReadonlyArray<Float32Array> => {
  const dims = values.length / n
  return Array.from({ length: n }, (_, i) => values.slice(i * dims, (i + 1) * dims))
}

const ref = (child: ChildProcess): void => {
  child.ref()
  child.channel?.ref()
}

const unref = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
}

const connect = (
  { engine, loadable, name, options }: ProcessOptions,
  started: Deferred.Deferred<void, EngineUnusable | EmbedderError>
): EngineProcess & { readonly end: Effect.Effect<void> } => {
  const child = fork(entry, {
    execArgv,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let ended: string | undefined

  // Whoever waits learns of a failure to send by the end of the process.
  const send = (request: Request): void => void child.send(request, constVoid)
  const start = (exit: Effect.Effect<void, EngineUnusable | EmbedderError>) => Deferred.unsafeDone(started, exit)
  const unusable = (detail: string) => Effect.fail(new EngineUnusable({ engine: name, detail }))
  const broken = (detail: string) => Effect.fail(brokenEngine(loadable?.embedder ?? name, name, detail))
  const damaged = (detail: string, advice?: string) =>
    loadable === undefined ? unusable(detail) : Effect.fail(loadable.unusableFile(detail, advice))

  const forget = (id: number): void => {
    waiting.delete(id)
    if (waiting.size === 0) unref(child)
  }

  const take = (answer: Answer): void => {
    const { resume, sequences } = waiting.get(answer.id) ?? {}
    forget(answer.id)
    if (resume === undefined || sequences === undefined) return
    if (answer._tag === "Failed") resume(broken(answer.detail))
    else if (answer.values.length !== sequences * (loadable?.dims ?? 0)) {
      resume(broken(`it answered ${answer.values.length} values to ${sequences} sequences`))
    } else resume(Effect.succeed(vectorsOf(answer.values, sequences)))
  }

  const stop = (reason: string): void => {
    ended ??= reason
    start(unusable(ended))
    for (const { resume } of waiting.values()) resume(broken(ended))
    waiting.clear()
  }

  child.on("message", (reply: Reply) => {
    switch (reply._tag) {
      case "Ready":
        unref(child)
        return start(Effect.void)
      case "Unusable":
        return start(unusable(reply.detail))
      case "Damaged":
        return start(damaged(reply.detail, reply.advice))
      case "Vectors":
      case "Failed":
        return take(reply)
    }
  })
  child.once("error", (cause) => stop(messageOf(cause)))
  child.once("exit", (code, signal) => stop(`its process ended with ${signal ?? `code ${code}`}`))
  send({ _tag: "Start", engine, options, ...(loadable === undefined ? {} : { model: loadable.model }) })

  return {
    run: (sequences) =>
      Effect.async((resume) => {
        if (ended !== undefined) return resume(broken(ended))
        const id = asked++
        waiting.set(id, { resume, sequences: sequences.length })
        ref(child)
        send({ _tag: "Batch", id, sequences })
        return Effect.sync(() => forget(id))
      }),
    pid: child.pid,
    isAlive: Effect.sync(() => ended === undefined),
    end: Effect.async((resume) => {
      if (ended !== undefined) return resume(Effect.void)
      ref(child)
      child.once("exit", () => resume(Effect.void))
      child.kill("SIGKILL")
    })
  }
}

/**
 * Starts the process and waits until its engine is ready.
 *
 * @since 0.1.0
 * @category constructors
 */
export const start = (
  options: ProcessOptions
): Effect.Effect<EngineProcess, EngineUnusable | EmbedderError, Scope.Scope> =>
  Effect.gen(function*() {
    const unusable = (detail: string) => new EngineUnusable({ engine: options.name, detail })
    if (!existsSync(entry)) {
      return yield* unusable(`${entry} is missing; who bundles mem into a program leaves it out of the bundle`)
    }
    const started = yield* Deferred.make<void, EngineUnusable | EmbedderError>()
    const running = yield* Effect.acquireRelease(
      Effect.try({ try: () => connect(options, started), catch: (cause) => unusable(messageOf(cause)) }),
      ({ end }) => end
    )
    // One that did not come up is not kept until the scope ends.
    yield* Effect.onError(Deferred.await(started), () => running.end)
    return running
  })
