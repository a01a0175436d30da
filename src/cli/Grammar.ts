/**
 * Which commands and options there are, read off the commands themselves, so that nothing is listed twice.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Descriptor from "@effect/cli/CommandDescriptor"
import type * as Usage from "@effect/cli/Usage"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"

/**
 * How an option is written: its own name, whether a value follows, whether it may be given more than once.
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
 * A command: its options by each of their spellings (`--name`, `-n`), and its sub-commands.
 *
 * @since 0.1.0
 * @category models
 */
export interface Grammar {
  readonly options: ReadonlyMap<string, OptionRule>
  readonly commands: ReadonlyMap<string, Grammar>
}

const optionsOf = (usage: Usage.Usage, repeatable = false): ReadonlyArray<readonly [string, OptionRule]> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named": {
      const [name] = usage.names
      return name === undefined ?
        [] :
        usage.names.filter((each) => each.startsWith("-")).map((each) =>
          [each, { name, takesValue: Option.isSome(usage.acceptedValues), repeatable }] as const
        )
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

/** A command without sub-commands lists itself as its only one. */
const children = (
  name: string,
  commands: HashMap.HashMap<string, Descriptor.Command<unknown>>
): ReadonlyMap<string, Grammar> =>
  new Map(
    HashMap.toEntries(HashMap.remove(commands, name)).map(([child, descriptor]) => [child, {
      options: new Map(optionsOf(Descriptor.getUsage(descriptor))),
      commands: children(child, Descriptor.getSubcommands(descriptor))
    }])
  )

/**
 * The grammar of the program `name` and of all below it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofCommand = <Name extends string, R, E, A>(
  name: Name,
  command: Command.Command<Name, R, E, A>
): Grammar => ({
  options: new Map(optionsOf(Command.getUsage(command))),
  commands: children(name, Command.getSubcommands(command))
})
