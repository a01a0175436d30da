/**
 * Where things stand below a memory home.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface LogPaths {
  readonly log: string
  readonly segments: string
  readonly quarantine: string
  readonly connectors: string
  readonly lock: string
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const pathsOf = (home: string): LogPaths => ({
  log: `${home}/log`,
  segments: `${home}/log/segments`,
  quarantine: `${home}/log/quarantine`,
  connectors: `${home}/log/connectors`,
  lock: `${home}/log/LOCK`
})
