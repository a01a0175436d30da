import { assert, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { chunking, defaults } from "../../src/sync/DocumentPolicy.ts"
import { policyOf } from "../../src/sync/PolicyOf.ts"

const file = Either.getOrThrow(parse(`
connectors:
  plain: { kind: folder, path: . }
  own: { kind: folder, path: ., chunking: { markdown: paragraph, max_tokens: 7 } }
  other: { kind: wiki }
chunking:
  wiki: { text: heading }
`))

const of = (name: string) => policyOf(file)({ name: ConnectorName.make(name) })

it("is what the connector says, else its kind, else headings for Markdown and paragraphs for text", () => {
  const said = (name: string) => [of(name).markdown.name, of(name).text.name, of(name).max_tokens]
  assert.deepStrictEqual(said("plain"), ["heading", "paragraph", defaults.max_tokens])
  assert.deepStrictEqual(said("own"), ["paragraph", "paragraph", 7])
  assert.deepStrictEqual(said("other"), ["heading", "heading", defaults.max_tokens])
  assert.deepStrictEqual(of("unknown"), defaults)
})

it("names a chunker by what it does", () => {
  const text = "# One\n\nBody.\n\n## Two\n\nBody.\n"
  const cut = (name: string) =>
    chunking(of(name), CharsOverFour.make).cut({ doc_id: DocId.make("a.md") }, text).map(({ passage }) =>
      passage.heading_path
    )
  assert.deepStrictEqual(cut("plain").at(-1), ["One", "Two"])
  assert.deepStrictEqual(cut("own").at(-1), [])
})
