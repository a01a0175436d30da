/**
 * Names that hold hashes, as a person reads them.
 *
 * @since 0.1.0
 */

/**
 * Each sha256 in it by its first twelve digits: `wordpiece/1/be50c3628f2b…`
 *
 * @since 0.1.0
 * @category formatting
 */
export const shortHashes = (name: string): string => name.replace(/[0-9a-f]{64}/g, (hash) => `${hash.slice(0, 12)}…`)
