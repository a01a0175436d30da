/** Runs contestants in turn, and compares each with the first. */

export interface Contestant {
  readonly name: string
  readonly run: () => Promise<unknown>
}

export interface Result {
  readonly name: string
  /** Milliseconds of the median round. */
  readonly median: number
  /** Speed as a multiple of the first contestant's: the median over rounds. */
  readonly ratio: number
}

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const time = async (run: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.()
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** `rounds` counted rounds behind `warmUp` that do not count. In each, every contestant runs once. */
export const alternate = async (
  contestants: ReadonlyArray<Contestant>,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number }
): Promise<ReadonlyArray<Result>> => {
  const times: Array<ReadonlyArray<number>> = []
  for (let round = 0; round < warmUp + rounds; round++) {
    const row: Array<number> = []
    for (const { run } of contestants) row.push(await time(run))
    if (round >= warmUp) times.push(row)
  }
  return contestants.map(({ name }, i) => ({
    name,
    median: median(times.map((row) => row[i] ?? Number.NaN)),
    ratio: median(times.map((row) => (row[0] ?? Number.NaN) / (row[i] ?? Number.NaN)))
  }))
}
