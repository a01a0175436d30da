/**
 * Protective steps taken out of the source, one at a time, for a run of the tests only: the text is replaced while the
 * module is loaded. A replacement that does not match exactly once is an error.
 */
import type { Plugin } from "vitest/config"

export interface SourceMutant {
  readonly name: string
  /** The test that has to notice it. */
  readonly test: "campaign" | "bitrot"
  readonly patches: ReadonlyArray<{ readonly file: string; readonly from: string; readonly to: string }>
}

const recovery = "layers/Log/Recovery.ts"

const believeAll: SourceMutant["patches"] = [
  { file: recovery, from: "      yield* prove(file, path, found.durable)\n", to: "" },
  { file: recovery, from: "unproved: seal.value.offset", to: "unproved: size" }
]

export const sourceMutants: ReadonlyArray<SourceMutant> = [
  { name: "what the page cache shows at a start is believed", test: "campaign", patches: believeAll },
  {
    name: "the sign that commits are ahead of the manifest goes before the manifest is saved",
    test: "campaign",
    patches: [{
      file: "src/sync/syncConnector.ts",
      from:
        "    if (manifest.differs || !sameEntries(known.entries, entries)) yield* manifests.save(connector.name, entries)\n"
        + "    yield* progress.clear(connector.name)\n",
      to: "    yield* progress.clear(connector.name)\n"
        + "    if (manifest.differs || !sameEntries(known.entries, entries)) yield* manifests.save(connector.name, entries)\n"
    }]
  },
  {
    name: "a write that failed is not taken back",
    test: "campaign",
    patches: [{
      file: "layers/Log/SegmentWriter.ts",
      from: "(error) => Effect.zipRight(rollBack, Effect.fail(writeError(bytes.length, free)(error)))",
      to: "(error) => Effect.fail(writeError(bytes.length, free)(error))"
    }]
  },
  {
    name: "neither checksums nor the numbers of lines are looked at",
    test: "bitrot",
    patches: [
      { file: "src/log/Codec.ts", from: "const fault = checksumFault(bytes)", to: "const fault = undefined" },
      { file: "src/log/Scan.ts", from: "if (record.seq !== expected) return", to: "if (record.seq < 0) return" }
    ]
  },
  {
    name: "any bad line is a torn tail",
    test: "bitrot",
    patches: [
      { file: recovery, from: "if (Option.isSome(failure)) return yield* failure.value\n", to: "" },
      { file: recovery, from: "scanned._tag === \"Torn\" ?", to: "\"offset\" in scanned ?" }
    ]
  }
]

/** How often the text stands there. */
export const count = (source: string, text: string): number => source.split(text).length - 1

/** Loads the modules as that mutant has them. */
export const mutation = (name: string | undefined): ReadonlyArray<Plugin> => {
  const mutant = sourceMutants.find((each) => each.name === name)
  if (mutant === undefined) return []
  return [{
    name: "mutation",
    enforce: "pre",
    transform: (code, id) =>
      mutant.patches.filter(({ file }) => id.endsWith(`/${file}`)).reduce(
        (changed, { from, to }) => changed.split(from).join(to),
        code
      )
  }]
}
