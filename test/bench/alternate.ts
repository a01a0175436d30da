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

const time = async (run: () => Promise<unknown>, collect: boolean): Promise<number> => {
  if (collect) globalThis.gc?.()
  const start = performance.now()
  await run()
  return performance.now() - start
}

/**
 * `rounds` counted rounds behind `warmUp` that do not count. In each, every contestant runs once, on a heap without the
 * garbage of the one before, unless `collect` is false: a full collection also forgets the shapes of objects that
 * optimized code relies on, which is much of the time of a run that takes a tenth of a second.
 */
export const alternate = async (
  contestants: ReadonlyArray<Contestant>,
  { collect = true, rounds, warmUp }: {
    readonly rounds: number
    readonly warmUp: number
    readonly collect?: boolean
  }
): Promise<ReadonlyArray<Result>> => {
  const times: Array<ReadonlyArray<number>> = []
  for (let round = 0; round < warmUp + rounds; round++) {
    const row: Array<number> = []
    for (const { run } of contestants) row.push(await time(run, collect))
    if (round >= warmUp) times.push(row)
  }
  return contestants.map(({ name }, i) => ({
    name,
    median: median(times.map((row) => row[i] ?? Number.NaN)),
    ratio: median(times.map((row) => (row[0] ?? Number.NaN) / (row[i] ?? Number.NaN)))
  }))
}
