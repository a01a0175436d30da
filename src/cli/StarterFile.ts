/**
 * The `connectors.yaml` that `mem init` writes: what is in use at the top, everything else that can be said as
 * comments beside it. Pure.
 *
 * @since 0.1.0
 */
import { stringify } from "yaml"

/** In double quotes, on one line; `${` is no variable here. */
const scalar = (text: string): string =>
  stringify(text.replaceAll("${", () => "$${"), { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0 }).trimEnd()

const options = (mark: string): string =>
  [
    "include: [\"**/*.md\", \"**/*.markdown\", \"**/*.txt\"]",
    "exclude: [\"archive/**\"]          # globs below path, as those of include",
    "max_concurrent_fetches: 8        # files read at the same time",
    "fetch_timeout: 60s",
    "starts_per_second: 100           # begun in a second; else no limit",
    "read_evicted: false              # macOS: read what is only in iCloud",
    "chunking: { markdown: heading, text: paragraph, max_tokens: 240 }"
  ].map((line) => `${mark}${line}\n`).join("")

const inUse = (path: string): string =>
  `\
  notes:                        # its name: mem sync notes, mem get notes:a.md
    kind: folder
    path: ${scalar(path)}
    # What else can be said:
${options("    # ")}`

const toBegin = `\
  # Take the first comment marks away, name a folder of your own, and leave out
  # what you do not need. "notes" is what you call it by: mem sync notes.
  #
  # notes:
  #   kind: folder
  #   path: ~/notes          # absolute, below ~, or relative to this file
${options("  #   ")}`

const sessions = `\
  # The sessions of coding agents, each where its agent keeps them: what they
  # said stays in memory when the agent deletes it. kind is claude-code, codex
  # or pi; docs/sessions.md has all options.
  # claude:
  #   kind: claude-code
  #   since: 30d                    # or a date; else all that is still there
  #   project: ["~/code/**"]       # else all
`

/**
 * The file for a folder of notes at that path (as it is to be written), or one that explains the choices.
 *
 * @since 0.1.0
 * @category constructors
 */
export const starterFile = (path: string | undefined): string =>
  `\
# What mem reads into memory. After a change: mem drift shows what a sync would
# do, mem sync does it. Paths are relative to this file, \${NAME} stands for an
# environment variable, an unknown key is an error.

connectors:
${path === undefined ? toBegin : inUse(path)}
${sessions}
# How documents are cut, for all connectors of a kind.
# chunking:
#   folder: { markdown: heading, text: paragraph }

# What makes the vectors for search by meaning. minilm (all-MiniLM-L6-v2) comes
# with mem and runs on this machine, without a key or a server. It is an ENGLISH
# model. Notes in another language are stored and found by their words, but not
# well by their meaning. Models for other languages come from a folder that you
# download (onnx-folder, offline as well), or from a server (ollama, or
# openai-compatible); docs/models.md has their options, and what is sent there.
# Where it changes, the next sync makes the vectors anew from the log, and no
# document is read again.
# embedder: { kind: minilm }

# A sync that would remove at least this many documents, and more than this
# share of them, removes none without --allow-mass-removal: an unmounted disk
# looks just as if all was gone.
# guards: { max_removed_ratio: 0.5, max_removed_min: 10 }
`
