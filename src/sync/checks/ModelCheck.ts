/**
 * The language model: whether its server is there, and has it. Pure.
 *
 * @since 0.1.0
 */
import type { Finding } from "../../domain/DoctorReport.ts"
import type { ModelStatus } from "../../domain/ModelStatus.ts"
import { about } from "./About.ts"

/**
 * What there is to say of a model whose server was asked for it.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkModel = ({ model, problem, remark = "it is there" }: ModelStatus): Finding => {
  const of = about("model", model)
  return problem === undefined ? of("ok", remark) : of("problem", problem.detail, problem.advice)
}
