import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { embeddedText } from "../../src/chunk/EmbeddedText.ts"
import { chunkId, contentHash, embedSha256, pipelineOf } from "../../src/chunk/Pipeline.ts"
import { ChunkId, ConnectorName, DocId, Fingerprint, Sha256 } from "../../src/domain/Ids.ts"

const lines = readFileSync(new URL("../fixtures/golden/log.jsonl", import.meta.url), "utf8").split("\n")

const body = <A, I>(schema: Schema.Schema<A, I>, line: number): A =>
  Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ body: schema })))(lines[line - 1]).body

const reference = body(
  Schema.Struct({
    connector: ConnectorName,
    doc_id: DocId,
    chunk_id: ChunkId,
    ordinal: Schema.Int,
    start: Schema.Int,
    text: Schema.String,
    context: Schema.String,
    embed_sha256: Sha256
  }),
  5
)
const commit = body(Schema.Struct({ content_hash: Fingerprint, pipeline: Fingerprint }), 6)
const golden = { ...reference, ...commit }

const policy = { chunker: "paragraph", version: "paragraph/1", max_tokens: 240, max_characters: 2000, counter: "c/1" }

describe("chunkId", () => {
  it("names the golden log's passage as the log does", () => {
    assert.strictEqual(golden.chunk_id, "ca05e302ccc9dd2e27c18f7f55da22f1")
    assert.strictEqual(chunkId(golden), golden.chunk_id)
  })

  it("depends on each of its parts", () => {
    const ids = [
      golden,
      { ...golden, connector: ConnectorName.make("other") },
      { ...golden, doc_id: DocId.make("k8s/u.md") },
      { ...golden, content_hash: golden.pipeline },
      { ...golden, pipeline: golden.content_hash },
      { ...golden, ordinal: 1 }
    ].map(chunkId)
    assert.strictEqual(new Set(ids).size, 6)
  })
})

describe("pipelineOf", () => {
  it("hashes the JSON array of the policy, in order", () => {
    const hex = createHash("sha256").update("[\"paragraph\",\"paragraph/1\",240,2000,\"c/1\"]").digest("hex")
    assert.strictEqual(pipelineOf(policy), `sha256:${hex}`)
  })

  it("depends on each of its parts", () => {
    const pipelines = [
      policy,
      { ...policy, chunker: "heading" },
      { ...policy, version: "paragraph/2" },
      { ...policy, max_tokens: 241 },
      { ...policy, max_characters: 2001 },
      { ...policy, counter: "c/2" }
    ].map(pipelineOf)
    assert.strictEqual(new Set(pipelines).size, 6)
  })
})

describe("hashes", () => {
  it("content is hashed as bytes, byte order mark included", () => {
    assert.strictEqual(contentHash(Buffer.from(golden.text)), golden.content_hash)
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff)
    assert.strictEqual(contentHash(bytes), `sha256:${createHash("sha256").update(bytes).digest("hex")}`)
  })

  it("an embedded text is hashed as UTF-8, without its front matter", () => {
    const top = golden.text.indexOf("#")
    assert.strictEqual(embedSha256(embeddedText(golden, top)), golden.embed_sha256)
  })
})
