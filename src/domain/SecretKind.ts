/**
 * Secrets that are told by their shape.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * What a secret opens, as markers and reports name it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecretKind = Schema.Literal(
  "private-key",
  "aws-key-id",
  "aws-secret",
  "google-key",
  "azure-key",
  "github-token",
  "gitlab-token",
  "npm-token",
  "pypi-token",
  "slack-token",
  "stripe-key",
  "anthropic-key",
  "openai-key",
  "huggingface-token",
  "jwt",
  "authorization",
  "url-password",
  "assignment"
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type SecretKind = typeof SecretKind.Type
