/**
 * `mem doctor`: every check that can be made, and what to do about what it finds. With `--repair` it mends the
 * log and what follows from it.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import { Connectors } from "../../services/Connectors.ts"
import type { ConnectorsFile } from "../domain/ConnectorsFile.ts"
import { DoctorReport, Finding } from "../domain/DoctorReport.ts"
import { sentences } from "../log/Loss.ts"
import { checkEmbedder } from "../sync/checks/EmbedderCheck.ts"
import { checkModel } from "../sync/checks/ModelCheck.ts"
import { doctor as check } from "../sync/doctor.ts"
import { repair } from "../sync/repair.ts"
import { answer } from "./Answer.ts"
import { configuration } from "./Configuration.ts"
import * as DoctorText from "./DoctorText.ts"
import { ofDoctor } from "./Exit.ts"
import { existingHome, home } from "./Home.ts"

const encode = Schema.encodeSync(DoctorReport)

const nobody = Layer.succeed(Connectors, {
  configured: [],
  get: () => Effect.dieMessage("no connector is configured")
})

/** Nothing of a file that names no model. */
const modelOf = (file: ConnectorsFile) =>
  file.model === undefined ? Effect.succeed([]) : Effect.match(Live.modelStatus(file, file.model), {
    onFailure: ({ message }) => [new Finding({ check: "model", level: "problem", message })],
    onSuccess: (status) => [checkModel(status)]
  })

/** What `connectors.yaml` says; where it cannot be used, that is a finding, and the other checks go on. */
const configured = Effect.gen(function*() {
  const read = yield* Effect.either(Effect.gen(function*() {
    const { file } = yield* configuration
    yield* Layer.build(Live.connectors(file))
    return { file, embedder: yield* Live.embedderStatus(file), model: yield* modelOf(file) }
  }))
  return Either.match(read, {
    onLeft: ({ message }) => ({
      connectors: nobody,
      findings: [new Finding({ check: "configuration", level: "problem", message })]
    }),
    onRight: ({ embedder, file, model }) => ({
      connectors: Layer.orDie(Live.connectors(file)),
      findings: [
        new Finding({
          check: "configuration",
          level: "ok",
          message: `${file.file} names ${file.connectors.map(({ name }) => name).join(", ") || "no connector yet"}`
        }),
        ...checkEmbedder(embedder),
        ...model
      ]
    })
  })
}).pipe(Effect.scoped)

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const doctor = Command.make("doctor", {
  repair: Options.boolean("repair").pipe(
    Options.withDescription(
      "Mend the log where it is damaged, and what follows from it: manifests and the search index"
    )
  )
}, (given) =>
  Effect.gen(function*() {
    const folder = yield* given.repair ? existingHome("mem doctor") : home
    const { connectors, findings: first } = yield* configured
    const fresh = MemoryProjection.make
    const readers = Live.check(folder)
    const findings = check(fresh).pipe(
      Effect.provide(Layer.merge(readers, connectors)),
      Effect.map((found) => [...first, ...found])
    )
    // Before a writer is opened: it refuses a damaged log.
    const lost = given.repair ? sentences(yield* Live.mendLog(folder)) : []
    const derived = given.repair
      ? yield* Effect.flatMap(Connectors, ({ configured }) => repair(configured.map(({ name }) => name), fresh)).pipe(
        Effect.provide(Live.writeIndex(folder)),
        Effect.provide(connectors),
        // What was done to the log is told, whatever comes behind it.
        Effect.tapError(() => Effect.forEach(lost, (each) => Effect.logWarning(each)))
      )
      : []
    const repaired = given.repair ? [...lost, ...derived] : undefined
    const report = new DoctorReport({
      command: "doctor",
      ok: true,
      findings: yield* findings,
      ...(repaired === undefined ? {} : { repaired })
    })
    yield* answer({ document: encode(report), lines: DoctorText.lines(report), code: ofDoctor(report) })
  })).pipe(Command.withDescription("Check everything against everything, and say what to do. Exit code 6 on damage."))
