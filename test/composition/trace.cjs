/**
 * Preloaded into a process that a test watches: writes down which files it opened, what it changed on the disk and
 * which native modules it loaded, one JSON object a line. What a native module does in its own code is not seen here;
 * a snapshot of the folder before and after shows that.
 */
const fs = require("node:fs")
const { syncBuiltinESMExports } = require("node:module")

const out = fs.openSync(process.env.MEM_TRACE, "a")
const { writeSync } = fs
const note = (did, by, path) => writeSync(out, `${JSON.stringify({ did, by, path: String(path) })}\n`)

/** The names of `fs` and of `fs.promises` that change something, without `Sync`. */
const changes = [
  "appendFile chmod chown copyFile cp lchmod lchown link lutimes mkdir mkdtemp rename rm rmdir symlink truncate unlink",
  "utimes writeFile"
].flatMap((names) => names.split(" "))

const readOnly = (flags) =>
  flags === undefined || flags === null || flags === "r" || flags === "rs" || flags === "sr"
  || (typeof flags === "number" && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) === 0)

const wrap = (owner, name, tell) => {
  const original = owner[name]
  if (typeof original !== "function") return
  owner[name] = function(...args) {
    tell(...args)
    return Reflect.apply(original, this, args)
  }
}

for (const [owner, suffixes] of [[fs, ["", "Sync"]], [fs.promises, [""]]]) {
  for (const suffix of suffixes) {
    wrap(
      owner,
      `open${suffix}`,
      (path, flags) =>
        note(readOnly(typeof flags === "function" ? undefined : flags) ? "read" : "change", `open${suffix}`, path)
    )
    wrap(owner, `readFile${suffix}`, (path) => note("read", `readFile${suffix}`, path))
    for (const name of changes) wrap(owner, name + suffix, (path) => note("change", name + suffix, path))
  }
}
wrap(process, "dlopen", (_module, path) => note("native", "dlopen", path))

// An import of the names of node:fs sees them too.
syncBuiltinESMExports()
