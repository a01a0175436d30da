/**
 * Reads the command line ahead of the parser, which takes a mistyped option for a file name and knows global options
 * only before the sub-command. Pure: words in, words out, or what is wrong with them.
 *
 * Up to the first `--` a word that begins with a dash is an option, and one that no command on the way knows is
 * refused. (A dash alone is a positional: standard input.) In the words that come out each command's options stand
 * behind its name, and all positionals behind `--`.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { distance } from "fastest-levenshtein"
import type { Grammar, OptionRule } from "./Grammar.ts"
import { UsageError } from "./UsageError.ts"

/**
 * What was asked for: the command by its words (`mem` where there is none), whether `--json` was given, and the words
 * for the parser.
 *
 * @since 0.1.0
 * @category models
 */
export interface CommandLine {
  readonly command: string
  readonly json: boolean
  readonly words: Either.Either<ReadonlyArray<string>, UsageError>
}

const help: OptionRule = { name: "--help", takesValue: false, repeatable: true }
const version: OptionRule = { name: "--version", takesValue: false, repeatable: true }
const completions: OptionRule = { name: "--completions", takesValue: true, repeatable: false }

/** What the parser adds to every command. Its `--wizard` and `--log-level` are left out: neither does any good here. */
const builtIn: ReadonlyMap<string, OptionRule> = new Map([
  ["--help", help],
  ["-h", help],
  ["--version", version],
  ["--completions", completions]
])

/** `--name`, `--name=value`, `-n`, `-n3`, `-n=3`. */
const option = /^(--[^=]+|-[^-=])(=?)(.*)$/s

const bare = (word: string): string => word.replace(/^-+/, "")

/** One typo for each three letters is likely a typo; more is another word. */
const didYouMean = (word: string, known: Iterable<string>): string => {
  const [nearest] = [...known].map((name) => ({ name, typos: distance(bare(word), bare(name)) }))
    .filter(({ name, typos }) => typos <= Math.floor(bare(name).length / 3))
    .sort((a, b) => a.typos - b.typos)
  return nearest === undefined ? "" : `, did you mean ${nearest.name}?`
}

interface Level {
  readonly grammar: Grammar
  readonly given: Array<readonly [rule: OptionRule, value?: string]>
}

/** The parser takes a value that is a sub-command's name, or `--`, for just that, unless it is glued to its option. */
const written = ({ commands }: Grammar, { name }: OptionRule, value: string): ReadonlyArray<string> =>
  name.startsWith("--") && (commands.has(value) || value === "--") ? [`${name}=${value}`] : [name, value]

const render = (levels: ReadonlyArray<Level>, positionals: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = levels.slice(1).map(({ grammar }) => grammar.name)
  const given = levels.flatMap((level) => level.given)
  const asked = (wanted: OptionRule) => given.find(([rule]) => rule === wanted)
  if (asked(version) !== undefined) return [version.name]
  const shell = asked(completions)?.[1]
  if (shell !== undefined) return [completions.name, shell]
  // Help names the whole command, "mem ref rm", only where every level is asked for it, and nothing else.
  if (asked(help) !== undefined) return [help.name, ...names.flatMap((name) => [name, help.name])]
  return [
    ...levels.flatMap(({ given, grammar }) => [
      grammar.name,
      ...given.flatMap(([rule, value]) => value === undefined ? [rule.name] : written(grammar, rule, value))
    ]).slice(1),
    ...(positionals.length > 0 ? ["--", ...positionals] : [])
  ]
}

/**
 * Reads a command line, without the program's own name. Reading goes on behind a mistake, so that a `--json` behind it
 * still counts; the first mistake is the one that is told.
 *
 * @since 0.1.0
 * @category parsing
 */
export const read = (program: Grammar) => (args: ReadonlyArray<string>): CommandLine => {
  let level: Level = { grammar: program, given: [] }
  const levels = [level]
  const positionals: Array<string> = []
  const seen = new Set<OptionRule>()
  const mistakes: Array<UsageError> = []
  const mistake = (detail: string): void => {
    mistakes.push(new UsageError({ command: levels.map(({ grammar }) => grammar.name).join(" "), detail }))
  }

  const words = args.values()

  const takeOption = (word: string): void => {
    const [, name = word, equals = "", rest = ""] = option.exec(word) ?? []
    const owner = levels.findLast(({ grammar }) => grammar.options.has(name)) ?? level
    const rule = owner.grammar.options.get(name) ?? builtIn.get(name)
    if (rule === undefined) {
      const known = [...levels.flatMap(({ grammar }) => [...grammar.options.keys()]), ...builtIn.keys()]
      return mistake(`unknown option ${word.replace(/(?<=[^-])=.*/s, "")}${didYouMean(name, known)}`)
    }
    const glued = equals + rest !== ""
    const again = seen.has(rule) && !rule.repeatable
    seen.add(rule)
    if (!rule.takesValue && glued) return mistake(`option ${rule.name} takes no value, but "${word}" gives one`)
    if (again) mistake(`option ${rule.name} is given twice`)
    if (!rule.takesValue) {
      owner.given.push([rule])
      return
    }
    const next = glued ? { done: false, value: rest } : words.next()
    if (next.done === true) return mistake(`option ${rule.name} needs a value`)
    owner.given.push([rule, next.value])
  }

  const takeWord = (word: string): void => {
    const command = level.grammar.commands.get(word)
    if (command !== undefined) {
      level = { grammar: command, given: [] }
      levels.push(level)
    } else if (level.grammar.commands.size > 0) {
      mistake(`unknown command ${word}${didYouMean(word, level.grammar.commands.keys())}`)
    } else positionals.push(word)
  }

  for (const word of words) {
    if (word === "--") {
      positionals.push(...words)
      if (level.grammar.commands.size > 0) mistake("no command is given before --")
    } else if (word.startsWith("-") && word !== "-") takeOption(word)
    else takeWord(word)
  }

  const json = [...seen].some(({ name }) => name === "--json")
  const aboutItself = [help, version, completions].some((rule) => seen.has(rule))
  if (json && levels.length === 1 && !aboutItself) mistake("--json is given without a command")
  const [first] = mistakes
  return {
    command: levels.slice(1).map(({ grammar }) => grammar.name).join(" ") || program.name,
    json,
    words: first === undefined ? Either.right(render(levels, positionals)) : Either.left(first)
  }
}
