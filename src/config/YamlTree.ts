/**
 * The part of YAML that a configuration needs: maps, lists and plain values. The text may come from anybody, so its
 * size, its tokens and its depth are bounded before anything is composed (the parser takes seconds over a hostile
 * 256 KiB, and deep nesting can end the process), and no message repeats a value, for it may be a secret.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { type ErrorCode, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument } from "yaml"

/**
 * More bytes than this are refused unread.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxBytes = 256 * 1024

const maxTokens = 20_000
const maxDepth = 32
const maxIndent = 128

/**
 * What is wrong, with which key, on which line (from 1).
 *
 * @since 0.1.0
 * @category models
 */
export interface YamlIssue {
  readonly path: ReadonlyArray<string>
  readonly line: number | undefined
  readonly detail: string
}

/**
 * The values, and where each key stands.
 *
 * @since 0.1.0
 * @category models
 */
export interface YamlTree {
  readonly value: unknown
  readonly keys: ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly line: number }>
}

// The parser's own messages quote the file.
const says: { readonly [Code in ErrorCode]?: string } = {
  BAD_DQ_ESCAPE: "an escape in double quotes that YAML does not have",
  BAD_INDENT: "this line is not indented as those around it are",
  BAD_SCALAR_START: "this value begins with a character that needs quotes around it",
  BLOCK_AS_IMPLICIT_KEY: "a map within a line; begin a new line for it, or put quotes around a value with \": \" in it",
  KEY_OVER_1024_CHARS: "a key of more than 1024 characters",
  MISSING_CHAR: "something is missing here: a colon, a comma, a quote, a bracket or a space",
  MULTIPLE_DOCS: "a second YAML document begins here; one is expected",
  NON_STRING_KEY: "a key must be a plain word",
  TAB_AS_INDENT: "a tab at the beginning of a line; indent with spaces",
  TAG_RESOLVE_FAILED: "a tag (\"!\") that has no meaning here"
}

const tooDeep = `nested deeper than ${maxDepth} levels`

/**
 * The lexer keeps no stack. Block collections nest by indentation or by indicators on one line, flow collections by
 * brackets, so these three bound the depth of what would be composed.
 */
const excess = (text: string): Omit<YamlIssue, "path"> | undefined => {
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) {
    return { line: undefined, detail: `larger than ${maxBytes / 1024} KiB` }
  }
  let tokens = 0
  let line = 1
  let brackets = 0
  let indent = 0
  let atLineStart = true
  for (const token of new Lexer().lex(text)) {
    // Each bad escape costs the parser an error of its own.
    tokens += token.startsWith("\"") ? token.split("\\").length : 1
    if (tokens > maxTokens) {
      return { line, detail: `more than ${maxTokens} words and marks; split the file over several homes` }
    }
    if (token === "[" || token === "{") brackets += 1
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1)
    else if (token === "-" || token === "?" || token === ":") indent += 1
    else if (token === ",") indent = 0
    else if (atLineStart && /^[ \t]+$/.test(token)) indent += token.length
    if (brackets > maxDepth || indent > maxIndent) return { line, detail: tooDeep }
    atLineStart = token.endsWith("\n")
    if (atLineStart && brackets === 0) indent = 0
    line += token.split("\n").length - 1
  }
  return undefined
}

const startOf = (node: { readonly range?: readonly [number, number, number] | null | undefined }) => node.range?.[0]

const toTree = (
  root: unknown,
  lineAt: (offset: number | undefined) => number | undefined
): Either.Either<YamlTree, YamlIssue> => {
  type Path = ReadonlyArray<string>
  const keys: Array<YamlTree["keys"][number]> = []
  const issue = (path: Path, offset: number | undefined, detail: string) =>
    Either.left({ path, line: lineAt(offset), detail })

  const toMap = (
    items: ReadonlyArray<{ readonly key: unknown; readonly value: unknown }>,
    path: Path,
    depth: number
  ): Either.Either<unknown, YamlIssue> =>
    Either.gen(function*() {
      const entries = new Map<string, unknown>()
      for (const { key, value } of items) {
        if (!isScalar(key) || !Predicate.isString(key.value)) {
          return yield* issue(path, undefined, "a key must be a plain word; merge keys are not used here")
        }
        const name = key.value
        const here = [...path, name]
        const offset = startOf(key)
        if (name === "<<") return yield* issue(here, offset, "merge keys are not used here; write the values out")
        if (name === "__proto__") return yield* issue(here, offset, "no key may have this name")
        if (entries.has(name)) return yield* issue(here, offset, "this key is there twice")
        keys.push({ path: here, line: lineAt(offset) ?? 1 })
        entries.set(name, yield* walk(value, here, depth + 1))
      }
      return Object.fromEntries(entries)
    })

  const walk = (node: unknown, path: Path, depth: number): Either.Either<unknown, YamlIssue> => {
    if (depth > maxDepth) return issue(path, undefined, tooDeep)
    if (isAlias(node)) return issue(path, startOf(node), "aliases (\"*\") are not used here; write the value out")
    if (isMap(node)) return toMap(node.items, path, depth)
    if (isSeq(node)) return Either.all(node.items.map((item, i) => walk(item, [...path, String(i)], depth + 1)))
    if (!isScalar(node)) return Either.right(null)
    return Predicate.isString(node.value) && !node.value.isWellFormed()
      ? issue(path, startOf(node), "half of a character (a lone surrogate)")
      : Either.right(node.value)
  }

  return Either.map(walk(root, [], 0), (value) => ({ value, keys }))
}

/**
 * Parses one YAML 1.2 document. Keys are strings, each once in its map and none of them `__proto__`; there are no
 * aliases, merge keys, or tags beyond those of the core schema.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseYaml = (text: string): Either.Either<YamlTree, YamlIssue> =>
  Either.gen(function*() {
    const tooMuch = excess(text)
    if (tooMuch !== undefined) return yield* Either.left({ path: [], ...tooMuch })

    const lines = new LineCounter()
    const lineAt = (offset: number | undefined) => offset === undefined ? undefined : lines.linePos(offset).line
    const issue = (offset: number | undefined, detail: string) =>
      Either.left({ path: [], line: lineAt(offset), detail })

    const document = yield* Either.try({
      try: () =>
        parseDocument(text, {
          lineCounter: lines,
          prettyErrors: false,
          logLevel: "error",
          schema: "core",
          resolveKnownTags: false,
          merge: false,
          stringKeys: true,
          // Its own check compares each key with all before it.
          uniqueKeys: false
        }),
      catch: () => ({ path: [], line: undefined, detail: "not YAML" })
    })
    const [failure] = [...document.errors, ...document.warnings]
    if (failure !== undefined) return yield* issue(failure.pos[0], says[failure.code] ?? "not YAML as it is used here")
    if (document.directives.yaml.version !== "1.2") return yield* issue(0, "YAML 1.2 is expected")
    return yield* toTree(document.contents, lineAt)
  })
