/**
 * The version, as package.json has it.
 *
 * @since 0.1.0
 */
import manifest from "../../package.json" with { type: "json" }

/**
 * @since 0.1.0
 * @category constants
 */
export const version: string = manifest.version
