import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { BaseUrl, nameOf, originOf } from "../../src/http/BaseUrl.ts"
import { complaintOf, holdsError } from "../../src/http/Complaint.ts"
import { retryAfter } from "../../src/http/RetryAfter.ts"

const noon = Date.parse("2026-11-29T12:00:00.000Z")

describe("Retry-After", () => {
  it("is seconds or a date, and never negative", () => {
    const cases: ReadonlyArray<readonly [string, number | undefined]> = [
      ["0", 0],
      ["7", 7000],
      [" 1.5 ", 1500],
      ["Sun, 29 Nov 2026 12:00:30 GMT", 30_000],
      ["Sunday, 29-Nov-26 12:00:30 GMT", 30_000],
      ["Sun Nov 29 12:00:30 2026", 30_000],
      ["Sun, 29 Nov 2026 11:00:00 GMT", 0],
      ["soon", undefined],
      ["-3", undefined],
      ["5 apples", undefined],
      ["2026", 2026_000],
      ["", undefined]
    ]
    for (const [value, expected] of cases) {
      assert.strictEqual(retryAfter({ "retry-after": value }, noon), expected, value)
    }
    assert.strictEqual(retryAfter({}, noon), undefined)
  })

  it("is taken from the more exact header where both are there", () => {
    assert.strictEqual(retryAfter({ "retry-after": "1", "retry-after-ms": "420" }, noon), 420)
    assert.strictEqual(retryAfter({ "retry-after": "1", "retry-after-ms": "?" }, noon), 1000)
  })
})

describe("Complaint", () => {
  const json = (value: unknown) => complaintOf(JSON.stringify(value))

  it("finds the message wherever a server puts it, in one printable line", () => {
    assert.strictEqual(json({ error: { message: "no such model" } }).message, "no such model")
    assert.strictEqual(json({ error: "model \"x\" not found" }).message, "model \"x\" not found")
    assert.strictEqual(json({ object: "error", message: "no" }).message, "no")
    assert.strictEqual(json({ detail: "Not Found" }).message, "Not Found")
    assert.strictEqual(
      json({ detail: [{ loc: ["body"], msg: "field required", input: "x" }] }).message,
      "field required"
    )
    assert.strictEqual(complaintOf("bad\u001b[31m gate\n\nway").message, "bad [31m gate way")
    assert.strictEqual(complaintOf("<html>502</html>").message, "a page, not JSON")
    assert.strictEqual(complaintOf("  ").message, "nothing")
    assert.strictEqual([...complaintOf("é".repeat(5000)).message].length, 300)
  })

  it("knows the words by which servers say that an input is too long, and how long it was", () => {
    const long: ReadonlyArray<readonly [unknown, number | undefined]> = [
      [{
        error: {
          message:
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded"
        }
      }, 9001],
      [{
        object: "error",
        message:
          "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
        code: 400
      }, 122946],
      [
        { error: { message: "The decoder prompt (length 2136) is longer than the maximum model length of 2048." } },
        2136
      ],
      [{ message: "The prompt (total length 25938) is too long to fit into the model (context length 4096)." }, 25938],
      [{
        error: {
          code: 400,
          message: "the request exceeds the available context size, try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 1407,
          n_ctx: 256
        }
      }, 1407],
      [{
        error: {
          code: 500,
          message:
            "input (596 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
          type: "server_error"
        }
      }, 596],
      [{ error: "the input length exceeds the context length" }, undefined],
      [{ error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } }, 210000],
      [{ message: "max_tokens must be at least 1, got -186." }, undefined]
    ]
    for (const [body, tokens] of long) {
      const complaint = json(body)
      assert.isTrue(complaint.too_long, complaint.message)
      assert.strictEqual(complaint.tokens, tokens, complaint.message)
    }
    for (
      const message of [
        "max_tokens is too large: 5000. This model supports at most 4096 completion tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "The server took too long to respond",
        "invalid api key"
      ]
    ) assert.isFalse(json({ error: { message } }).too_long, message)
  })

  it("sees an error in an answer that says it is none", () => {
    assert.isTrue(holdsError({ error: { message: "x" } }))
    assert.isFalse(holdsError({ error: null, choices: [] }))
    assert.isFalse(holdsError("error"))
  })
})

describe("BaseUrl", () => {
  it("takes addresses that hold no secret", () => {
    const is = Schema.is(BaseUrl)
    for (const url of ["http://localhost:11434", "https://api.example.com/v1/"]) assert.isTrue(is(url), url)
    for (
      const url of [
        "localhost:8080",
        "ftp://host/",
        "http://u:p@host/",
        "http://host/?key=x",
        "http://host/#x",
        "",
        "host"
      ]
    ) assert.isFalse(is(url), url)
    assert.strictEqual(originOf("https://api.example.com/v1/"), "https://api.example.com")
    assert.strictEqual(nameOf("a model/ü:7b"), "a%20model/%C3%BC:7b")
  })
})
