/**
 * The embedder: what whoever chose it should know, and whether it runs here. Pure.
 *
 * @since 0.1.0
 */
import type { Finding } from "../../domain/DoctorReport.ts"
import type { EmbedderStatus } from "../../domain/EmbedderStatus.ts"
import { about } from "./About.ts"

/**
 * What there is to say of an embedder that was probed.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkEmbedder = ({ engines, kind, problem, remark }: EmbedderStatus): ReadonlyArray<Finding> => {
  const of = about("embedder", kind)
  const used = engines.find(({ used }) => used)
  const broken = engines.flatMap(({ engine, problem }) => problem === undefined ? [] : [`${engine}: ${problem}`])
  return [
    ...(problem === undefined ? [] : [
      of(
        "problem",
        problem,
        "Until it is mended, or another embedder stands in connectors.yaml, a sync and a search by meaning fail with this"
      )
    ]),
    ...(used === undefined ? [] : [of("ok", `${used.engine} runs it`)]),
    ...(engines.length > 0 && used === undefined
      ? [
        of(
          "problem",
          `nothing here can run it (${broken.join("; ")}), so documents are stored without vectors and found by their `
            + "words alone",
          "mend one of these, or name another embedder in connectors.yaml; the next sync makes the vectors from the log"
        )
      ]
      : broken.map((problem) => of("note", problem))),
    ...(remark === undefined
      ? []
      : [about("embedder")("note", remark, "\"embedder\" in connectors.yaml chooses another")])
  ]
}
