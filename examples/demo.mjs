/**
 * `npm run demo`: the program at work on a small vault, in a folder that is thrown away. It shows each command before
 * its output, and ends with the first one that does not do what it should.
 */
import { spawnSync } from "node:child_process"
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const program = join(here, "..", "dist", "bin", "mem.mjs")
const folder = mkdtempSync(join(tmpdir(), "mem-demo-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
process.once("SIGINT", () => process.exit(130))

const say = (text) => process.stdout.write(`\n# ${text}\n`)

const mem = (args, expected = 0) => {
  process.stdout.write(`$ mem ${args.map((arg) => arg.includes(" ") ? `"${arg}"` : arg).join(" ")}\n`)
  const { MEM_HOME: _, ...env } = process.env
  const { status } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (status !== expected) {
    process.stderr.write(`demo: this should have ended with exit code ${expected}, not ${status}\n`)
    process.exit(1)
  }
}

cpSync(join(here, "vault"), join(folder, "vault"), { recursive: true })

say("A folder of notes becomes a memory: no key, no server, no network.")
mem(["init", "--path", "vault"])
mem(["sync"])

say("It is found by its meaning, also where no word is the same.")
mem(["search", "keep the plants alive while we are on holiday", "-k", "1"])
mem(["search", "why did the service go down at night", "-k", "1"])

say("A note is edited. Drift shows what a sync would do, and writes nothing (exit code 10: there is something to do).")
appendFileSync(
  join(folder, "vault", "kitchen", "bread.md"),
  "\n## Keeping it\n\nIn a linen bag, never in the fridge: a week.\n"
)
mem(["drift", "--estimate", "--exit-code"], 10)

say("The sync embeds the new section, and nothing else.")
mem(["sync"])
mem(["search", "how to keep bread fresh", "-k", "1"])

say("The index is thrown away and folded again from the log, without one call of the model.")
mem(["rebuild", "--from-log"])
