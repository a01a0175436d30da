/**
 * How `connectors.yaml` wants a connector's documents cut.
 *
 * @since 0.1.0
 */
import type { ConfiguredConnector } from "../../services/Connectors.ts"
import type { ConnectorsFile } from "../domain/ConnectorsFile.ts"
import { chunkers, defaults, type DocumentPolicy } from "./DocumentPolicy.ts"

/**
 * The policy of each connector of the file; the default for one that is not in it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const policyOf = (file: ConnectorsFile) => ({ name }: Pick<ConfiguredConnector, "name">): DocumentPolicy => {
  const connector = file.connectors.find((each) => each.name === name)
  if (connector === undefined) return defaults
  const { markdown, max_tokens, text } = file.chunkingOf(connector)
  return {
    ...defaults,
    markdown: chunkers[markdown],
    text: chunkers[text],
    ...(max_tokens === undefined ? {} : { max_tokens })
  }
}

/**
 * Whether secrets are taken out of a connector's sessions: they are, unless the file says `scrub: off`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const scrubOf = (file: ConnectorsFile) => ({ name }: Pick<ConfiguredConnector, "name">): boolean =>
  file.connectors.find((each) => each.name === name)?.scrub ?? true
