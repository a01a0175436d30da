/**
 * What `mem` and `mem --help` print: all commands on one page of 80 columns. What a command takes, its own help tells.
 *
 * @since 0.1.0
 */
import { version } from "./Version.ts"

const groups: ReadonlyArray<
  readonly [title: string, commands: ReadonlyArray<readonly [command: string, does: string]>]
> = [
  ["To begin", [
    ["init --path NOTES", "write a connectors.yaml for a folder of notes"],
    ["sync [NAME]", "bring what the sources hold into memory"],
    ["search WORDS", "find it again, by meaning and by words"]
  ]],
  ["To remember", [
    ["memory [NAME]", "show what a model kept of sessions, and evidence"],
    ["ask QUESTION", "answer from memory, with sources, or say it cannot"],
    ["blame ID|SENTENCE", "follow a sentence of it down to its transcript"]
  ]],
  ["To look", [
    ["get NAME:DOC[:LINES]", "print what a hit points at, with its surroundings"],
    ["drift [NAME]", "show what a sync would do, and what it would cost"],
    ["status", "show what is in memory, what failed and why"],
    ["ref list [NAME]", "list the documents and sessions in memory"],
    ["chunk FILE...", "show how files would be cut"],
    ["dump", "print all that is live as sorted JSON lines"],
    ["log cat", "print the records of the log"]
  ]],
  ["To keep it in order", [
    ["ref rm NAME DOC", "keep a document out"],
    ["ref add NAME DOC", "let it back in"],
    ["ref sync [NAME]", "sync the connectors of documents only"],
    ["rebuild --from-log", "make the search index anew; nothing is embedded"],
    ["log verify", "check every line of the log"],
    ["doctor [--repair]", "check everything against everything, and mend it"]
  ]]
]

const row = ([command, does]: readonly [string, string]): string => `  mem ${command.padEnd(22)}${does}`

/**
 * @since 0.1.0
 * @category constants
 */
export const overview: string = [
  `mem ${version}: an append-only, searchable memory of your notes and transcripts,`,
  "which keeps the evidence for all that is in it.",
  "",
  ...groups.flatMap(([title, commands]) => [`${title}:`, ...commands.map(row), ""]),
  "Options of every command, before or behind it:",
  "  --home DIR   the memory home; otherwise MEM_HOME, the nearest folder upward",
  "               that holds connectors.yaml, or this folder",
  "  --json       print one JSON document, whatever the exit code",
  "  --help       what the command takes",
  "",
  "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration (nothing was done),",
  "  3 something failed and the rest is stored, 4 a guard refused removals,",
  "  5 another mem writes, 6 the log is damaged, 10 drift was found (drift",
  "  --exit-code), 130 and 143 interrupted",
  ""
].join("\n")
