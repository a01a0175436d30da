/**
 * Text that UTF-8 can hold. A lone surrogate (half of an emoji that some tool cut) survives JSON as an escape but not
 * UTF-8, so a text that held one would hash differently after each round trip. There is one rule for it: it becomes
 * U+FFFD where the text enters, before anything is hashed, chunked or logged; from there on it is refused.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A string without lone surrogates; anything else is refused.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WellFormed = Schema.String.pipe(
  Schema.filter(
    (text) => text.isWellFormed() || "holds a lone surrogate; make the text well-formed before it is stored",
    {
      jsonSchema: {},
      arbitrary: () => (fc) => fc.fullUnicodeString()
    }
  )
)

/**
 * Any string, made well-formed on the way in.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MadeWellFormed = Schema.transform(Schema.String, WellFormed, {
  strict: true,
  decode: (text) => text.toWellFormed(),
  encode: (text) => text
})
