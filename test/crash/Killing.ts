/**
 * The built program on a real disk, ended by a signal at moments that are spread evenly over the time that it really
 * runs, again and again in the same home. What each end has left is looked at in a copy, so that the next one meets it
 * as it is; beside it stands a home that nothing ever happened to.
 *
 * The log is read here in the plainest way: the file's lines, by nothing of the product.
 */
import { Duration, Effect } from "effect"
import { PCGRandom } from "effect/Utils"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Ended, folder, mem, startMem } from "../composition/Mem.ts"

const yaml = "connectors:\n  notes: { kind: folder, path: ../vault }\nembedder: { kind: hashed }\n"

/** After so many ends a home is given up, and one begins from nothing. */
const endsOfAHome = 12

type Signal = "SIGKILL" | "SIGINT" | "SIGTERM"

export interface KillOptions {
  readonly kills: number
  /** Half of them SIGINT, half of them SIGTERM. */
  readonly interrupts: number
  readonly notes: number
  readonly seed: number
  /** Told now and then, for hundreds of ends take their time. */
  readonly sofar: (killed: Killed) => void
}

export interface Killed {
  /** Ends that met the program while it ran. */
  readonly kills: number
  readonly interrupts: number
  /** Those that came too late, and were repeated. */
  readonly late: number
  /** What the kills left: a line cut off, a lock, documents that were still to do. */
  readonly torn: number
  readonly locks: number
  readonly unfinished: number
  readonly violations: ReadonlyArray<string>
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const paragraph = (random: PCGRandom): string =>
  `${Array.from({ length: 60 }, () => random.integer(4000).toString(36)).join(" ")}\n`

/** A vault of notes of one to six sections, and what people do to it. */
const vaultAt = (root: string, random: PCGRandom) => {
  const notes = new Map<string, string>()
  let made = 0
  const write = (name: string, content: string): void => {
    notes.set(name, content)
    fs.writeFileSync(path.join(root, name), content)
  }
  const remove = (name: string): void => {
    notes.delete(name)
    fs.rmSync(path.join(root, name))
  }
  const content = (): string =>
    `# Note ${made}\n\n${
      Array.from({ length: 1 + random.integer(6) }, (_, i) => `## Part ${i}\n\n${paragraph(random)}`).join("\n")
    }`
  const add = (): void => write(`n${made++}.md`, content())
  const any = (): string => [...notes.keys()][random.integer(notes.size)] ?? ""
  return {
    notes,
    add,
    /** A fourth gets another content, and a few come, go, and move. */
    change: (): void => {
      for (let i = notes.size / 4; i > 0; i--) write(any(), content())
      for (const _ of [1, 2]) {
        add()
        remove(any())
        const from = any()
        write(`moved-${made++}.md`, notes.get(from) ?? "")
        remove(from)
      }
    }
  }
}

interface Line {
  readonly kind: string
  readonly seq: number
  readonly txn?: number
  readonly body: {
    readonly embed_sha256?: string
    readonly doc_id?: string
    readonly content_hash?: string
    readonly removed?: boolean
    readonly n?: number
  }
}

const logFile = (home: string): string => path.join(home, "log/segments/00000001.jsonl")

const bytesOf = (file: string): Buffer => fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0)

const lockOf = (home: string): string => bytesOf(path.join(home, "log/LOCK")).toString()

const linesOf = (bytes: Buffer): ReadonlyArray<Line> =>
  bytes.subarray(0, bytes.lastIndexOf(10) + 1).toString().split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  )

const vectorsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.flatMap(({ body, kind }) => kind === "vector" ? [body.embed_sha256 ?? ""] : [])

/** The hash of each document whose last group is whole. */
const storedIn = (lines: ReadonlyArray<Line>): ReadonlyMap<string, string> => {
  const stored = new Map<string, string>()
  for (const { body, kind, seq, txn } of lines) {
    const { content_hash = "", doc_id = "", n, removed } = body
    if (kind !== "commit" || seq - (txn ?? seq) !== n) continue
    if (removed === true) stored.delete(doc_id)
    else stored.set(doc_id, content_hash)
  }
  return stored
}

/** The i-th moment, as a part of the running time: any number of them lie evenly over it. */
const moment = (i: number): number => (0.5 + i * 0.618_033_988_75) % 1

const json = (args: ReadonlyArray<string>, cwd: string) =>
  Effect.map(mem([...args, "--json"], { cwd }), ({ code, stderr, stdout }) => ({
    code,
    stderr,
    said: stdout.endsWith("}\n") ? JSON.parse(stdout) : {}
  }))

const digest = (cwd: string) => Effect.map(mem(["dump", "--digest"], { cwd }), ({ stdout }) => stdout)

/** How long a sync takes that nothing happens to, the state behind it, and all texts that it has ever embedded. */
interface Undisturbed {
  readonly millis: number
  readonly digest: string
  readonly texts: ReadonlySet<string>
}

const throughout = (home: string): Effect.Effect<Undisturbed> =>
  Effect.gen(function*() {
    const [time, { code, stderr }] = yield* Effect.timed(mem(["sync"], { cwd: home }))
    if (code !== 0) return yield* Effect.dieMessage(stderr)
    return {
      millis: Duration.toMillis(time),
      digest: yield* digest(home),
      texts: new Set(vectorsOf(linesOf(bytesOf(logFile(home)))))
    }
  })

/** Ends the program at that moment of its time; nothing where it was over before. */
const endAt = (home: string, signal: Signal, millis: number) =>
  Effect.scoped(Effect.gen(function*() {
    const run = yield* startMem(["sync"], { cwd: home })
    yield* Effect.sleep(millis)
    yield* run.kill(signal)
    return yield* run.ended
  }))

/** What has to be so of a home that a signal has ended, and of a sync that goes on in a copy of it. */
const examine = (
  { home, notes, undisturbed }: {
    readonly home: string
    readonly notes: ReadonlyMap<string, string>
    readonly undisturbed: Undisturbed
  }
) =>
  Effect.gen(function*() {
    const wrong: Array<string> = []
    const demand = (holds: boolean, what: string): void => {
      if (!holds) wrong.push(what)
    }
    const copy = path.join(path.dirname(home), "copy")
    fs.rmSync(copy, { recursive: true, force: true })
    fs.cpSync(home, copy, { recursive: true })
    const before = linesOf(bytesOf(logFile(copy)))
    const stored = storedIn(before)
    const due = [...notes].filter(([name, text]) => stored.get(name) !== `sha256:${sha256(text)}`).length

    const verified = yield* json(["log", "verify"], copy)
    demand(verified.code === 0, `log verify: ${verified.code} ${JSON.stringify(verified.said)} ${verified.stderr}`)
    const synced = yield* json(["sync"], copy)
    demand(synced.code === 0, `sync: ${synced.code} ${JSON.stringify(synced.said)} ${synced.stderr}`)
    demand(!fs.readdirSync(path.join(copy, "log")).some((name) => name.startsWith("LOCK")), "a lock is left")
    const [report] = synced.said.connectors ?? [{}]
    demand(report.fetched === due, `${report.fetched} documents were fetched, ${due} were not stored`)
    const paidBefore = new Set(vectorsOf(before))
    const paid = vectorsOf(linesOf(bytesOf(logFile(copy))))
    const made = new Set(paid)
    demand(paid.length === made.size, `${paid.length - made.size} vectors are there twice`)
    const more = made.size - paidBefore.size
    demand(report.embed_texts === more, `${report.embed_texts} texts were embedded, ${more} had no vector`)
    demand(
      [...made].every((text) => undisturbed.texts.has(text)),
      "something was embedded that no document has ever said"
    )
    const told = yield* digest(copy)
    demand(told === undisturbed.digest, `the state is ${told}, without trouble it is ${undisturbed.digest}`)
    return { wrong, torn: verified.said.torn > 0, due, left: due + (report.removed ?? 0) }
  })

const wordOfGoingOn = "the next sync goes on from there"

/** What has to be so where the program was asked to end, and could. */
const examineEnd = (
  { after, before, ended, home, left, lock, signal, torn }: {
    readonly signal: "SIGINT" | "SIGTERM"
    readonly ended: Ended
    readonly before: Buffer
    readonly after: Buffer
    readonly home: string
    /** What a killed run had left of its own. */
    readonly lock: string
    readonly left: number
    readonly torn: boolean
  }
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const untouched = before.equals(after)
  const { code, stderr } = ended
  // Before the program is loaded nobody listens, and the signal itself ends the process.
  const unheard = ended.signal === signal && untouched
  if (!unheard && code !== (signal === "SIGINT" ? 130 : 143)) wrong.push(`exit ${code} ${ended.signal} ${stderr}`)
  if (lockOf(home) !== lock && lockOf(home) !== "") wrong.push("the lock was not given back")
  if (!untouched && torn) wrong.push("the log is torn")
  if (!untouched && linesOf(after).at(-1)?.kind !== "seal") wrong.push("the log was written to and is not sealed")
  if (!untouched && left > 0 && !stderr.includes(wordOfGoingOn)) wrong.push(`no word that it goes on: ${stderr}`)
  return wrong
}

/** All of it, one after the other; each end is made up for that came too late. */
export const killing = ({ interrupts, kills, notes, seed, sofar }: KillOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const random = new PCGRandom(seed)
    const root = yield* folder({ "vault/.keep": "" })
    const vault = vaultAt(path.join(root, "vault"), random)
    for (let i = 0; i < notes; i++) vault.add()
    const home = path.join(root, "home")
    const reference = path.join(root, "reference")
    const begin = (): void => {
      for (const dir of [home, reference]) {
        fs.rmSync(dir, { recursive: true, force: true })
        fs.mkdirSync(dir)
        fs.writeFileSync(path.join(dir, "connectors.yaml"), yaml)
      }
    }
    const polite = (i: number) => i % 2 === 0 ? "SIGINT" as const : "SIGTERM" as const
    const plan = [
      ...Array.from({ length: kills }, (_, i) => ({ at: moment(i), signal: "SIGKILL" as const, turn: i / kills })),
      ...Array.from({ length: interrupts }, (_, i) => ({ at: moment(i), signal: polite(i), turn: i / interrupts }))
    ].toSorted((a, b) => a.turn - b.turn)
    const count = { kills: 0, interrupts: 0, late: 0, torn: 0, locks: 0, unfinished: 0 }
    const violations: Array<string> = []
    let ends = 0
    let met = true
    let undisturbed: Undisturbed = { millis: 0, digest: "", texts: new Set() }

    const once = ({ at, signal }: { readonly at: number; readonly signal: Signal }) =>
      Effect.gen(function*() {
        // Every other one finds the same to do as the one before it, and what that has left.
        if (!met || ends % 2 === 0) {
          if (ends % endsOfAHome === 0) begin()
          else vault.change()
          undisturbed = yield* throughout(reference)
        }
        ends += 1
        const before = bytesOf(logFile(home))
        const lock = lockOf(home)
        const ended = yield* endAt(home, signal, at * undisturbed.millis)
        const after = bytesOf(logFile(home))
        met = ended.signal !== null || ended.code !== 0
        const { due, left, torn, wrong } = yield* examine({ home, notes: vault.notes, undisturbed })
        const impolite = signal === "SIGKILL" || !met
          ? []
          : examineEnd({ signal, ended, before, after, home, lock, left, torn })
        violations.push(
          ...[...wrong, ...impolite].map((what) => `${signal} at ${at.toFixed(3)} of run ${ends}: ${what}`)
        )
        if (!met) return false
        count[signal === "SIGKILL" ? "kills" : "interrupts"] += 1
        if (signal === "SIGKILL") {
          count.torn += torn ? 1 : 0
          count.locks += lockOf(home) === "" ? 0 : 1
          count.unfinished += due > 0 && !before.equals(after) ? 1 : 0
        }
        return true
      })

    for (const [i, end] of plan.entries()) {
      while (!(yield* once(end))) count.late += 1
      if (i % 25 === 24) sofar({ ...count, violations })
    }
    return { ...count, violations } satisfies Killed
  }))
