/**
 * The `connectors.yaml` that `mem init` writes: what is in use at the top, everything else that can be said as
 * comments beside it. Pure.
 *
 * @since 0.1.0
 */
import { stringify } from "yaml"

/** In double quotes, on one line; `${` is no variable here. */
const scalar = (text: string): string =>
  stringify(text.replaceAll("${", "$${"), { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0 }).trimEnd()

const options = `\
    # include: ["**/*.md", "**/*.markdown", "**/*.txt"]   # which files; globs below path
    # exclude: ["archive/**"]                             # and which of them not
    # max_concurrent_fetches: 8                           # files read at the same time
    # fetch_timeout: 60s
    # chunking: { markdown: heading, text: paragraph, max_tokens: 240 }
`

const inUse = (path: string): string =>
  `\
  notes:                  # the name: mem sync notes, mem search --connector notes
    kind: folder
    path: ${scalar(path)}
${options}`

const toBegin = `\
  # Take the comment marks away and name a folder of your own. The name, notes, is
  # what you call it by: mem sync notes, mem search --connector notes.
  #
  # notes:
  #   kind: folder
  #   path: ~/notes        # absolute, below ~, or relative to this file
${options}`

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
# How documents are cut, for all connectors of a kind.
# chunking:
#   folder: { markdown: heading, text: paragraph }

# What makes the vectors for search by meaning. minilm (all-MiniLM-L6-v2) comes
# with mem and runs on this machine, without a key or a server. It is an ENGLISH
# model: notes in another language are stored and found by their words, but poorly
# by their meaning. To change it, write another kind here and run mem sync: the
# vectors are made anew from the log, and nothing is read or cut again.
# embedder: { kind: minilm }

# A sync that would remove at least this many documents, and more than this share
# of them, removes none (until --allow-mass-removal): an unmounted disk is no wish.
# guards: { max_removed_ratio: 0.5, max_removed_min: 10 }
`
