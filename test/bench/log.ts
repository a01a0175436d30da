/**
 * The log against hand-written code that does the same work without services, streams or schemas, and against SQLite:
 * writing, reading and verifying documents of four passages with their vectors.
 */
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { closeSync, fdatasyncSync, openSync, readdirSync, readSync, statSync, writeSync } from "node:fs"
import { crc32 } from "node:zlib"
import * as Segments from "../../layers/Log/Segments.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import { LogReader } from "../../services/LogReader.ts"
import { type LogGroup, LogWriter } from "../../services/LogWriter.ts"
import { Timestamp } from "../../src/domain/Ids.ts"
import { Vector } from "../../src/domain/Reference.ts"
import * as Compose from "../../src/log/Compose.ts"
import { verify } from "../../src/log/verify.ts"
import { commit, model, reference, sha } from "../fixtures/LogGroups.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { alternate, type Contestant } from "./alternate.ts"

const passages = 4
const text = "lorem ipsum dolor sit amet, ".repeat(36)
const data = Buffer.alloc(384 * 4, 0x3f).toString("base64")

const document = (i: number): LogGroup => ({
  entries: Array.from({ length: passages }, (_, ordinal) => [
    { kind: "vector" as const, body: new Vector({ embed_sha256: sha(`${i} ${ordinal}`), model, dims: 384, data }) },
    reference(`doc${i}`, 1, ordinal, `${text}${i}`)
  ]).flat(),
  commit: commit(`doc${i}`, 1, passages)
})

const batchesOf = (count: number, size: number): ReadonlyArray<ReadonlyArray<LogGroup>> =>
  Array.from(
    { length: count / size },
    (_, batch) => Array.from({ length: size }, (_, i) => document(batch * size + i))
  )

const inFolder = (run: (folder: string) => Effect.Effect<void>): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryHome, run)))

const at = Timestamp.make("2026-11-29T20:00:00.000Z")

const hex = (crc: number): string => crc.toString(16).padStart(8, "0")

/** The lines of a batch as the log has them; by hand, their JSON is simply what the records are. */
const linesOf = (batch: ReadonlyArray<LogGroup>): ReadonlyArray<string> =>
  Compose.groups(batch, { at, seq: 1, durable_to: 0 }).map((record) => {
    const json = JSON.stringify(record)
    return `${json.slice(0, -1)},"crc":"${hex(crc32(json))}"}\n`
  })

const byHand = (batches: ReadonlyArray<ReadonlyArray<LogGroup>>) =>
  inFolder((folder) =>
    Effect.sync(() => {
      const file = openSync(`${folder}/lines.jsonl`, "w")
      for (const batch of batches) {
        writeSync(file, linesOf(batch).join(""))
        fdatasyncSync(file)
      }
      closeSync(file)
    })
  )

const bySqlite = (batches: ReadonlyArray<ReadonlyArray<LogGroup>>) =>
  inFolder((folder) =>
    Effect.sync(() => {
      const db = new DatabaseSync(`${folder}/lines.db`)
      db.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE log (seq INTEGER PRIMARY KEY, line TEXT)"
      )
      const insert = db.prepare("INSERT INTO log (line) VALUES (?)")
      for (const batch of batches) {
        db.exec("BEGIN")
        for (const line of linesOf(batch)) insert.run(line)
        db.exec("COMMIT")
      }
      db.close()
    })
  )

const writerOf = (home: string) => Layer.provide(Segments.writer({ home }), NodeLogFs.layer)

const write = (home: string, batches: ReadonlyArray<ReadonlyArray<LogGroup>>): Effect.Effect<void> =>
  Effect.flatMap(LogWriter, ({ append }) => Effect.forEach(batches, append, { discard: true })).pipe(
    Effect.provide(writerOf(home)),
    Effect.orDie
  )

const segmentsIn = (home: string): ReadonlyArray<string> =>
  readdirSync(`${home}/log/segments`).map((name) => `${home}/log/segments/${name}`)

const readBytes = 1024 * 1024
const lineFeed = 0x0a
const closingBrace = Buffer.from("}")

/** Splits and checks every line of the files, and hands over what it reads. */
const scan = (home: string, { bytes = () => undefined, line = () => undefined }: {
  readonly bytes?: (piece: Uint8Array) => unknown
  readonly line?: (line: Buffer) => unknown
}): void => {
  for (const path of segmentsIn(home)) {
    const file = openSync(path, "r")
    let rest = Buffer.alloc(0)
    for (;;) {
      const piece = Buffer.allocUnsafe(readBytes)
      const count = readSync(file, piece, 0, readBytes, null)
      if (count === 0) break
      bytes(piece.subarray(0, count))
      const all = rest.length === 0 ? piece.subarray(0, count) : Buffer.concat([rest, piece.subarray(0, count)])
      let from = 0
      for (let to = all.indexOf(lineFeed); to >= 0; to = all.indexOf(lineFeed, from)) {
        const one = all.subarray(from, to)
        const crc = hex(crc32(closingBrace, crc32(one.subarray(0, one.length - 18))))
        if (one.toString("latin1", one.length - 10, one.length - 2) !== crc) console.error("a wrong checksum")
        line(one)
        from = to + 1
      }
      rest = all.subarray(from)
    }
    closeSync(file)
  }
}

const parse = (line: Buffer): unknown => JSON.parse(line.toString("utf8"))

const print = async (title: string, megabytes: number, contestants: ReadonlyArray<Contestant>): Promise<void> => {
  console.log(title)
  for (const { median, name, ratio } of await alternate(contestants, { rounds: 7, warmUp: 1 })) {
    console.log(
      `  ${name.padEnd(44)} ${(megabytes / median * 1000).toFixed(0).padStart(6)} MB/s   ${ratio.toFixed(2)}x`
    )
  }
}

export const log = async (): Promise<void> => {
  const bytes = linesOf([document(1)]).reduce((sum, line) => sum + line.length, 0)
  for (const [count, size] of [[512, 8], [1024, 64]] as const) {
    const batches = batchesOf(count, size)
    const lines = size * (2 * passages + 1)
    await print(`writing, ${lines} lines a write, each write on disk before the next`, count * bytes / 1e6, [
      { name: "SQLite, WAL, synchronous = FULL", run: () => bySqlite(batches) },
      { name: "by hand: stringify, CRC, write, fdatasync", run: () => byHand(batches) },
      { name: "LogWriter.append", run: () => inFolder((home) => write(home, batches)) }
    ])
  }
  await inFolder((home) =>
    Effect.gen(function*() {
      yield* write(home, batchesOf(4096, 64))
      const megabytes = segmentsIn(home).reduce((sum, path) => sum + statSync(path).size, 0) / 1e6
      const reader = Layer.provide(Segments.reader({ home }), NodeLogFs.layer)
      const reading = Effect.provide(Effect.flatMap(LogReader, ({ records }) => Stream.runDrain(records())), reader)
      yield* Effect.promise(() =>
        print(`reading ${megabytes.toFixed(0)} MB`, megabytes, [
          { name: "by hand: split, CRC, parse", run: async () => scan(home, { line: parse }) },
          { name: "LogReader.records, every record checked", run: () => Effect.runPromise(reading) }
        ])
      )
      yield* Effect.promise(() =>
        print(`verifying ${megabytes.toFixed(0)} MB`, megabytes, [
          {
            name: "by hand: split, CRC, parse, sha256",
            run: async () => {
              const hash = createHash("sha256")
              scan(home, { line: parse, bytes: (piece) => hash.update(piece) })
              hash.digest()
            }
          },
          { name: "by hand: split, CRC", run: async () => scan(home, {}) },
          { name: "verify", run: () => Effect.runPromise(Effect.provide(verify, reader)) }
        ])
      )
    })
  )
}
