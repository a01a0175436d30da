/** A damaged log in the hands of its users: refused, repaired, told what is lost, and filled again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { folder, type Given, mem } from "./Mem.ts"

const yaml = "connectors:\n  notes: { kind: folder, path: ./notes }\nembedder: { kind: hashed }\n"

const vault = {
  "notes/a.md": "# Kubernetes\n\nA cluster of machines.\n",
  "notes/bread.txt": "Rye bread keeps for a week in a linen bag.\n",
  "notes/c.md": "# Harbours\n\nThe lease ends in spring.\n"
}

const segment = "log/segments/00000001.jsonl"

const json = (args: ReadonlyArray<string>, given: Given) =>
  Effect.map(mem([...args, "--json"], given), ({ code, stdout }) => ({ code, document: JSON.parse(stdout) }))

/**
 * A home in which a byte of the line of that kind that has this text is another one now, and whose last run was killed
 * behind its last write.
 */
const spoilt = (kind: string, text: string, more: { readonly [name: string]: string } = {}) =>
  Effect.gen(function*() {
    const cwd = yield* folder({ "connectors.yaml": yaml, ...vault, ...more })
    assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
    fs.writeFileSync(path.join(cwd, "notes/later.md"), "Written a day later.\n")
    assert.strictEqual((yield* mem(["sync"], { cwd })).code, 0)
    const file = path.join(cwd, segment)
    const sealed = fs.readFileSync(file)
    const content = sealed.subarray(0, sealed.lastIndexOf(10, -2) + 1)
    let at = 0
    for (const line of content.toString("utf8").split("\n")) {
      if (line.includes(`"kind":"${kind}"`) && line.includes(text)) break
      at += Buffer.byteLength(line) + 1
    }
    content.writeUInt8(content.readUInt8(at + 40) ^ 1, at + 40)
    fs.writeFileSync(file, content)
    return { cwd, content }
  })

describe("mem doctor --repair", () => {
  it.scopedLive("mends a log that lost a line, says what it was, and the next sync stores that again, alone", () =>
    Effect.gen(function*() {
      const { content, cwd } = yield* spoilt("reference", "bread.txt")
      const doctor = yield* mem(["doctor"], { cwd })
      assert.strictEqual(doctor.code, 6)
      assert.match(doctor.stdout, /\nDAMAGE {2}log: .*\n(.*\n)*? +Run "mem doctor\s+--repair": it keeps all/)
      const refused = yield* mem(["sync"], { cwd })
      assert.strictEqual(refused.code, 6)
      assert.include(refused.stderr, "mem doctor --repair")
      assert.deepStrictEqual(fs.readFileSync(path.join(cwd, segment)), content)

      const mended = yield* json(["doctor", "--repair"], { cwd })
      assert.strictEqual(mended.code, 0)
      const told: ReadonlyArray<string> = mended.document.repaired
      assert.match(told[0] ?? "", /^00000001\.jsonl: \d+ bytes from byte [\d,]+ on were damaged; line \d+ is lost$/)
      assert.deepStrictEqual(told.slice(1), [
        "the damaged segments are kept as they were, in log/quarantine",
        "the last version of 1 document of notes is lost: bread.txt; the next sync stores what is still there",
        "the manifest of notes was written anew from the log",
        "the search index was brought up to the log"
      ])
      const [copy = ""] = fs.readdirSync(path.join(cwd, "log/quarantine"))
      assert.deepStrictEqual(fs.readFileSync(path.join(cwd, "log/quarantine", copy)), content)
      assert.strictEqual((yield* mem(["log", "verify"], { cwd })).code, 0)
      assert.deepStrictEqual((yield* json(["search", "rye", "--mode", "keyword"], { cwd })).document.hits, [])

      const bytes = fs.readFileSync(path.join(cwd, segment))
      assert.deepStrictEqual((yield* json(["doctor", "--repair"], { cwd })).document.repaired, [])
      assert.deepStrictEqual(fs.readFileSync(path.join(cwd, segment)), bytes)

      const sync = yield* json(["sync"], { cwd })
      assert.strictEqual(sync.code, 0)
      // The vector of the lost passage is in the log still.
      assert.deepInclude(sync.document.connectors[0], { new: 1, changed: 0, unchanged: 3, fetched: 1, embed_texts: 0 })
      const found = yield* json(["search", "rye", "bread", "-k", "1"], { cwd })
      assert.strictEqual(found.document.hits[0].doc_id, "bread.txt")
      assert.strictEqual((yield* json(["doctor"], { cwd })).code, 0)
    }))

  it.scopedLive("has a lost vector made again, from the text in the log", () =>
    Effect.gen(function*() {
      const text = vault["notes/bread.txt"]
      const sha = createHash("sha256").update(text.trimEnd()).digest("hex")
      // Another document has the same text, and brought no vector of its own.
      const { cwd } = yield* spoilt("vector", sha, { "notes/twin.txt": text })
      const mended = yield* json(["doctor", "--repair"], { cwd })
      assert.strictEqual(mended.code, 0)
      const [, , marked, lost] = mended.document.repaired
      const [first, second] = /^twin/.test(marked) ? ["twin.txt", "bread.txt"] : ["bread.txt", "twin.txt"]
      assert.strictEqual(
        marked,
        `${first} of notes lost vectors; the next sync makes them again, from the text in the log`
      )
      assert.match(lost, new RegExp(`is lost: ${second}; `))
      const sync = yield* json(["sync"], { cwd })
      assert.deepInclude(sync.document.connectors[0], { new: 1, unchanged: 3, fetched: 1, embed_texts: 1 })
      const found = yield* json(["search", "rye", "bread", "-k", "2", "--mode", "vector"], { cwd })
      assert.sameMembers(found.document.hits.map(({ doc_id }: { readonly doc_id: string }) => doc_id), [
        "bread.txt",
        "twin.txt"
      ])
      assert.strictEqual((yield* json(["doctor"], { cwd })).code, 0)
    }))
})
