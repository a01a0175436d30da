/**
 * Protective steps taken out of the source, one at a time, for a run of the tests only: the text is replaced while the
 * module is loaded. A replacement that does not match exactly once is an error.
 */
import type { Plugin } from "vitest/config"

export interface SourceMutant {
  readonly name: string
  /** The test that has to notice it. */
  readonly test: "campaign" | "bitrot"
  /** The kind of trouble that shows it, where it is the campaign. */
  readonly shownBy?: string
  readonly patches: ReadonlyArray<{ readonly file: string; readonly from: string; readonly to: string }>
}

const recovery = "layers/Log/Recovery.ts"

const believeAll: SourceMutant["patches"] = [
  { file: recovery, from: "      yield* prove(file, path, found.durable)\n", to: "" },
  { file: recovery, from: "unproved: seal.value.offset", to: "unproved: size" }
]

export const sourceMutants: ReadonlyArray<SourceMutant> = [
  {
    name: "what the page cache shows at a start is believed",
    test: "campaign",
    shownBy: "the device fails, once",
    patches: believeAll
  },
  {
    name: "the sign that commits are ahead of the manifest goes before the manifest is saved",
    test: "campaign",
    shownBy: "the process is killed",
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
    shownBy: "the disk is full, once",
    patches: [{
      file: "layers/Log/SegmentWriter.ts",
      from: "(error) => Effect.zipRight(rollBack, Effect.fail(writeError(bytes.length, free)(error)))",
      to: "(error) => Effect.fail(writeError(bytes.length, free)(error))"
    }]
  },
  {
    name: "lines count without a commit of their own",
    test: "campaign",
    shownBy: "the process is killed",
    patches: [
      {
        file: "src/log/Gather.ts",
        from: "Option.match(Option.filter(open, ({ txn }) => txn === record.txn), {\n        onNone",
        to: "Option.match(open, {\n        onNone"
      },
      {
        file: "src/log/Gather.ts",
        from: "    if (lines.length !== record.body.n) return [Option.none(), Option.none()]\n",
        to: ""
      },
      {
        file: "src/log/Gather.ts",
        from: "  if (seq === txn) return Option.some({ txn, lines: Chunk.of(line) })\n",
        to: ""
      },
      {
        file: "src/log/Gather.ts",
        from:
          "Option.match(Option.filter(open, (group) => group.txn === txn), {\n    onNone: () => Chunk.empty<LocatedRecord>()",
        to: "Option.match(open, {\n    onNone: () => Chunk.of(line)"
      }
    ]
  },
  {
    name: "a manifest is written over in its place",
    test: "campaign",
    shownBy: "the process is killed",
    patches: [
      {
        file: "layers/ManifestStore/AtomicFile.ts",
        from: "const temporary = `${path}.tmp`",
        to: "const temporary = path"
      },
      {
        file: "layers/ManifestStore/AtomicFile.ts",
        from: "const file = yield* create(fs, temporary)\n",
        to:
          "const file = yield* Effect.orElse(Effect.tap(fs.open(path, \"write\"), (file) => file.truncate(0)), () => create(fs, path))\n"
      },
      {
        file: "layers/ManifestStore/AtomicFile.ts",
        from: "    // A crash may have left one.\n    yield* forget\n    yield* write\n",
        to: "    yield* write\n"
      },
      { file: "layers/ManifestStore/AtomicFile.ts", from: "    yield* fs.rename(temporary, path)\n", to: "" },
      {
        file: "layers/ManifestStore/AtomicFile.ts",
        from: "    Effect.tapError(() => Effect.ignore(forget)),\n",
        to: ""
      }
    ]
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

/** The one that is to be noticed now. */
export const mutantOf = (name: string | undefined): SourceMutant | undefined =>
  sourceMutants.find((each) => each.name === name)

/** How often the text stands there. */
export const count = (source: string, text: string): number => source.split(text).length - 1

/** Loads the modules as that mutant has them. */
export const mutation = (name: string | undefined): ReadonlyArray<Plugin> => {
  const mutant = mutantOf(name)
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
