/** How much longer four times the text takes, on texts that were made to take long. */

const mostGrowth = 6
const rounds = 9

/** A text that is dealt with in a moment is taken so often that a round takes a while. */
const shortestRound = 20

/** Milliseconds of the processor, which others do not take part in. */
const timeOf = (run: () => void): number => {
  const start = process.cpuUsage()
  run()
  return process.cpuUsage(start).user / 1000
}

/** Says it of 64 and 256 KiB of each unit over and over, with a tail behind them, and fails above six. */
export const growth = (units: ReadonlyArray<string>, run: (text: string) => unknown, tail = ""): void => {
  for (const unit of units) {
    const texts = [64, 256].map((kibi) => unit.repeat(kibi * 1024 / unit.length) + tail)
    const [once = 1] = texts.map((text) => Math.min(...[1, 2].map(() => timeOf(() => run(text)))))
    const times = Math.ceil(shortestRound / Math.max(1, once))
    const [short = 1, long = Infinity] = Array.from({ length: rounds }, () =>
      texts.map((text) =>
        timeOf(() => {
          for (let i = 0; i < times; i++) run(text)
        })
      )).reduce((best, round) => best.map((time, i) => Math.min(time, round[i] ?? time)))
    const grown = long / short
    console.log(`  ${JSON.stringify(unit).padEnd(34)} ${grown.toFixed(2)}x the time for four times the text`)
    if (!(grown <= mostGrowth)) {
      console.error(`${grown.toFixed(2)} is more than ${mostGrowth}`)
      process.exitCode = 1
    }
  }
}
