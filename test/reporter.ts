/**
 * Ends a test run with the line `N passed, N failed`, alone and last. A file that does not load, and an error that no
 * test owns, count as failures.
 */
import { writeSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    const of = (module: TestModule) => {
      const states = [...module.children.allTests()].map((test) => test.result().state)
      const failed = states.filter((state) => state === "failed").length
      return {
        passed: states.filter((state) => state === "passed").length,
        failed: failed === 0 && module.state() === "failed" ? 1 : failed
      }
    }
    const counts = modules.map(of)
    const passed = counts.reduce((sum, count) => sum + count.passed, 0)
    const failed = counts.reduce((sum, count) => sum + count.failed, unhandled.length)
    process.once("exit", () => writeSync(1, `${passed} passed, ${failed} failed\n`))
  }
}
