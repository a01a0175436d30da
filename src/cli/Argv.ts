/**
 * A pass over the command line, ahead of the parser, which takes a mistyped option for a file name and knows global
 * options only before the sub-command. Pure: words in, words out, or the reason why not.
 *
 * What comes out has each command's options behind its name and all positionals behind `--`. Up to the first `--` a
 * word that begins with a dash is an option (a dash alone is a positional: standard input); one that no command on the
 * way knows is refused.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { distance } from "fastest-levenshtein"
import type { Grammar, OptionRule } from "./Grammar.ts"
import { UsageError } from "./UsageError.ts"

const flag = (name: string): OptionRule => ({ name, takesValue: false, repeatable: false })
const value = (name: string): OptionRule => ({ name, takesValue: true, repeatable: false })

const helpRule = flag("--help")

/** Options that the parser itself adds to every command. */
const builtIn: ReadonlyMap<string, OptionRule> = new Map([
  ["--help", helpRule],
  ["-h", helpRule],
  ["--version", flag("--version")],
  ["--wizard", flag("--wizard")],
  ["--completions", value("--completions")],
  ["--log-level", value("--log-level")]
])

/** `--name`, `--name=value`, `-n`, `-n3`, `-n=3`. */
const option = /^(--[^=]+|-[^-=])(=?)(.*)$/s

const farthestTypo = 3

const didYouMean = (word: string, known: Iterable<string>): string => {
  const [nearest] = [...known].map((name) => ({ name, typos: distance(word, name) }))
    .filter(({ name, typos }) => typos <= Math.min(farthestTypo, name.length - 2))
    .sort((a, b) => a.typos - b.typos)
  return nearest === undefined ? "" : `, did you mean ${nearest.name}?`
}

interface Level {
  readonly name: string
  readonly grammar: Grammar
  readonly options: Array<string>
}

/**
 * The command line as the parser wants it, without the program's own name.
 *
 * @since 0.1.0
 * @category parsing
 */
export const normalise =
  (program: string, grammar: Grammar) =>
  (args: ReadonlyArray<string>): Either.Either<ReadonlyArray<string>, UsageError> => {
    const root: Level = { name: program, grammar, options: [] }
    const levels: Array<Level> = [root]
    const positionals: Array<string> = []
    const seen = new Set<OptionRule>()
    let level = root
    const refuse = (detail: string) =>
      Either.left(new UsageError({ command: levels.map(({ name }) => name).join(" "), detail }))

    const words = args[Symbol.iterator]()
    for (const word of words) {
      if (word === "--") {
        positionals.push(...words)
        break
      }
      if (word === "-" || !word.startsWith("-")) {
        const command = positionals.length === 0 ? level.grammar.commands.get(word) : undefined
        if (command !== undefined) {
          level = { name: word, grammar: command, options: [] }
          levels.push(level)
        } else if (level.grammar.commands.size > 0) {
          return refuse(`unknown command ${word}${didYouMean(word, level.grammar.commands.keys())}`)
        } else positionals.push(word)
        continue
      }
      const [, name = word, equals = "", rest = ""] = option.exec(word) ?? []
      const owner = levels.findLast(({ grammar }) => grammar.options.has(name))
      const rule = owner?.grammar.options.get(name) ?? builtIn.get(name)
      if (rule === undefined) {
        const known = [...levels.flatMap(({ grammar }) => [...grammar.options.keys()]), ...builtIn.keys()]
        return refuse(`unknown option ${word}${didYouMean(name, known)}`)
      }
      if (rule === helpRule) {
        seen.add(rule)
        continue
      }
      if (seen.has(rule) && !rule.repeatable) return refuse(`option ${rule.name} is given twice`)
      seen.add(rule)
      const options = (owner ?? (rule.name === "--version" ? root : level)).options
      if (!rule.takesValue) {
        if (equals + rest !== "") return refuse(`option ${rule.name} takes no value, but "${word}" gives one`)
        options.push(rule.name)
        continue
      }
      const next = equals + rest === "" ? words.next() : { done: false, value: rest }
      if (next.done === true) return refuse(`option ${rule.name} needs a value`)
      options.push(...(rule.name.startsWith("--") ? [`${rule.name}=${next.value}`] : [rule.name, next.value]))
    }
    // Help names the whole command, "mem chunk", only where every level is asked for it.
    const help = seen.has(helpRule) ? [helpRule.name] : []
    return Either.right([
      ...levels.flatMap(({ name, options }) => [name, ...options, ...help]).slice(1),
      ...(positionals.length > 0 ? ["--", ...positionals] : [])
    ])
  }
