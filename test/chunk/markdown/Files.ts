/** Every Markdown file of the packages that this project is made with, each text once. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url))

export interface MarkdownFile {
  readonly name: string
  readonly text: string
}

export const markdownFiles = (): ReadonlyArray<MarkdownFile> => {
  const seen = new Set<string>()
  return fs.readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .flatMap((file) => {
      const text = fs.readFileSync(file, "utf8")
      if (seen.has(text)) return []
      seen.add(text)
      return [{ name: path.relative(modules, file), text }]
    })
}
