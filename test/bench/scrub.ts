/** The scrubber on the sources of the installed packages, and on texts that almost hold a secret over and over. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { scrub } from "../../src/transcript/Scrub.ts"
import { shapes } from "../../src/transcript/SecretShapes.ts"
import { growth } from "./growth.ts"

const hostile = [
  "a",
  " ",
  "\n",
  "漢",
  "-",
  ".",
  "sk-",
  "eyJ",
  "eyJ-",
  "eyJa.",
  "ghp_",
  "github_pat_",
  "AKIA",
  "xoxb-1",
  "8Q~",
  "://",
  "://a:",
  "://a:b",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\n- ",
  "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
  "hooks.slack.com/services/T123456/B123456/",
  "A",
  "A=",
  "A: ",
  "A_TOKEN=",
  "A_TOKEN=\"",
  "A_PASSWORD='b",
  "a=",
  "token=a",
  "token=a1234567 ",
  "secretaccesskey=",
  "Authorization: Bearer ",
  "?sig=",
  "AccountKey="
]

export const scrubbing = async (): Promise<void> => {
  const texts = readdirSync("node_modules/effect", { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:js|ts|md)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const start = process.cpuUsage()
  for (const text of texts) scrub(text)
  const millis = process.cpuUsage(start).user / 1000
  console.log(`${texts.length} sources: ${(characters / millis / 1000).toFixed(0)} M characters/s`)
  // Behind them what lets no shape be passed over unlooked at.
  growth(hostile, scrub, `\n${shapes.flatMap(({ hints }) => hints).join("\n")}`)
}
