/**
 * Which options each command takes, read off the commands themselves.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import type * as Usage from "@effect/cli/Usage"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"

/**
 * How an option is written: its long name if it has one, whether a value follows, whether it may be given more than
 * once.
 *
 * @since 0.1.0
 * @category models
 */
export interface OptionRule {
  readonly name: string
  readonly takesValue: boolean
  readonly repeatable: boolean
}

/**
 * A command: its options by each of their spellings (`--name`, `-n`), and its sub-commands by name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Grammar {
  readonly name: string
  readonly options: ReadonlyMap<string, OptionRule>
  readonly commands: ReadonlyMap<string, Grammar>
}

const optionsOf = (usage: Usage.Usage, repeatable = false): ReadonlyArray<readonly [string, OptionRule]> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named": {
      const spellings = usage.names.filter((name) => name.startsWith("-"))
      const [short = ""] = spellings
      const name = spellings.find((spelling) => spelling.startsWith("--")) ?? short
      const rule = { name, takesValue: Option.isSome(usage.acceptedValues), repeatable }
      return spellings.map((spelling) => [spelling, rule] as const)
    }
    case "Optional":
      return optionsOf(usage.usage, repeatable)
    case "Repeated":
      return optionsOf(usage.usage, true)
    case "Alternation":
    case "Concat":
      return [...optionsOf(usage.left, repeatable), ...optionsOf(usage.right, repeatable)]
  }
}

/**
 * The grammar of a command, given those of its sub-commands. (A command knows its own sub-commands, but does not show
 * what is below them.)
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Name extends string, R, E, A>(
  command: Command.Command<Name, R, E, A>,
  children: ReadonlyArray<Grammar> = []
): Grammar => ({
  name: [...HashSet.values(Command.getNames(command))].join(" "),
  options: new Map(optionsOf(Command.getUsage(command))),
  commands: new Map(children.map((child) => [child.name, child]))
})
