import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Float32 from "../../src/log/Float32.ts"

const vectors = FastCheck.float32Array({ maxLength: 400 })

describe("Float32", () => {
  it.prop("comes back bit for bit", [vectors], ([values]) => {
    const back = Either.getOrThrow(Float32.decode(Float32.encode(values), values.length))
    assert.deepStrictEqual(Buffer.from(back.buffer), Buffer.from(values.slice().buffer))
  })

  it("is little-endian on every machine", () => {
    assert.strictEqual(Float32.encode(Float32Array.of(1)), Buffer.of(0, 0, 0x80, 0x3f).toString("base64"))
  })

  it.prop(
    "refuses another length, and what is no base64",
    [vectors, FastCheck.integer({ min: 1, max: 3 })],
    ([values, n]) => {
      const data = Float32.encode(values)
      assert.isTrue(Either.isLeft(Float32.decode(data, values.length + n)))
      assert.isTrue(Either.isLeft(Float32.decode(`${data}!`, values.length)))
    }
  )
})
