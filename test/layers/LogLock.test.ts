import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { acquire } from "../../layers/Log/Lock.ts"
import * as Processes from "../../layers/Log/Processes.ts"
import * as NodeLogFs from "../../layers/LogFs/Node.ts"
import * as LockFile from "../../layers/LogLock/File.ts"
import { LogFs } from "../../services/LogFs.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"

const process = (pid: number, host: string, living: ReadonlyArray<number>): Processes.Processes => ({
  self: new Processes.ProcessIdentity({ pid, boot_id: "b", start_ticks: `${pid}`, host, command: "mem sync" }),
  lives: (other) => Effect.succeed(living.includes(other.pid))
})

it.scopedLive("tells a lock that is free, held here or elsewhere, and left behind, and touches it in no way", () =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const fs = yield* LogFs
    const state = (seenBy: Processes.Processes) =>
      Effect.flatMap(LockFile.make({ home, processes: seenBy }), ({ state }) => state)
    const me = process(1, "here", [2])
    assert.deepStrictEqual(yield* state(me), { _tag: "Free" })

    const scope = yield* Scope.make()
    yield* Scope.extend(acquire(fs, home, process(2, "here", [2])), scope)
    const held = yield* state(me)
    assert.isTrue(held._tag === "Held" && held.here)
    assert.deepInclude(held._tag === "Held" ? { ...held.holder } : {}, { pid: 2, host: "here", command: "mem sync" })
    const far = yield* state(process(1, "elsewhere", []))
    assert.isTrue(far._tag === "Held" && !far.here)
    assert.deepStrictEqual(yield* state(process(1, "here", [])), { _tag: "Left", path: `${home}/log/LOCK` })
    assert.deepStrictEqual(yield* fs.list(`${home}/log`), ["LOCK"])
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* state(me), { _tag: "Free" })
  }).pipe(Effect.provide(NodeLogFs.layer)))
