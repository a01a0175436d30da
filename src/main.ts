#!/usr/bin/env node
/**
 * The program `mem`: provides the layers and hands over to the command line.
 *
 * @since 0.1.0
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import { exitCode } from "./cli/Exit.ts"
import { run } from "./cli/Mem.ts"
import * as Outcome from "./cli/Outcome.ts"
import * as Output from "./cli/Output.ts"
import * as PlainConsole from "./cli/PlainConsole.ts"
import * as StderrLogger from "./cli/StderrLogger.ts"
import * as Terminal from "./cli/Terminal.ts"

let signal: "SIGINT" | "SIGTERM" | undefined
process.once("SIGINT", () => signal = "SIGINT")
process.once("SIGTERM", () => signal = "SIGTERM")

// A write that fails tells its caller; without a listener the process would also crash.
process.stdout.on("error", constVoid)
process.stderr.on("error", constVoid)

const layer = Layer.mergeAll(
  NodeContext.layer,
  Outcome.layer,
  Output.layer(process.stdout),
  PlainConsole.layer(PlainConsole.coloursOf(process)),
  StderrLogger.layer,
  Terminal.layer(process)
)

const program = Effect.zipRight(run(process.argv.slice(2)), Effect.flatMap(Outcome.Outcome, ({ code }) => code))

NodeRuntime.runMain(Effect.provide(program, layer), {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, onExit) => onExit(exitCode(exit, signal))
})
