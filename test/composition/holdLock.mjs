/** Opens the log of a home for writing, says so, and keeps it until its standard input ends. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Segments from "../../dist/layers/Log/Segments.js"
import * as Node from "../../dist/layers/LogFs/Node.js"

const home = process.argv[2] ?? "."

const hold = Effect.gen(function*() {
  yield* Layer.build(Layer.provide(Segments.writer({ home }), Node.layer))
  process.stdout.write("held\n")
  yield* Effect.async((resume) => {
    process.stdin.on("end", () => resume(Effect.void)).resume()
  })
})

const said = await Effect.runPromise(
  Effect.scoped(hold).pipe(
    Effect.as("given back"),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.catchAll((error) => Effect.succeed(`${error._tag} ${error.pid} ${error.message}`))
  )
)
process.stdout.write(`${said}\n`)
