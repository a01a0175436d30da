/**
 * The shapes of secrets, and what looks like one and is none.
 *
 * A pattern takes a beginning that is short, then all of the run that a secret could be; whether it is one is asked of
 * what was taken. So a pattern never gives back what it took, no run is looked at twice, and the time is linear in the
 * text. The patterns know ASCII only and have no `u` flag: with it, a run of millions of characters overflows the stack.
 *
 * @since 0.1.0
 */
import type { SecretKind } from "../domain/SecretKind.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Shape {
  readonly kind: SecretKind
  /** A text without any of these holds no such secret: most texts are done with that. */
  readonly hints: ReadonlyArray<string>
  /** Global, with two groups that follow one another: what stands before the secret, and the secret. */
  readonly pattern: RegExp
  /** How much of what was taken is the secret, from its beginning: 0 where it is none. */
  readonly length: (taken: string, next: string, before: string) => number
}

const isWord = (next: string): boolean => /^\w/.test(next)

const whole = (taken: string, is: boolean): number => is ? taken.length : 0

/** A token that begins with these words and stands alone: not in a longer word, before or behind. */
const token = (
  kind: SecretKind,
  hints: ReadonlyArray<string>,
  pattern: RegExp,
  is: (token: string) => boolean = () => true
): Shape => ({
  kind,
  hints,
  pattern: new RegExp(`((?<!\\w))(${pattern.source})`, "g"),
  length: (taken, next) => whole(taken, !isWord(next) && is(taken))
})

const isMixed = (text: string): boolean => /[0-9]/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)

const hasLetterAndDigit = (text: string): boolean => /[0-9]/.test(text) && /[A-Za-z]/.test(text)

const hasDigits = (text: string): boolean => (text.match(/[0-9]/g)?.length ?? 0) >= 6

const stand =
  "pass(?:word|wd|phrase)?|pwd|pw|secret|token|key|api|auth|user(?:name)?|admin|root|guest|test|postgres|foo|bar"

/** Whole words that stand for a secret where one would be, and what is no text but a place for one. */
const placeholder = new RegExp(
  [
    "^[$%{<*.[(=/]",
    "^(.)\\1*$|^[^A-Za-z0-9]*$",
    "\\$[({]|\\{\\{|%[sdv]\\b|<[^>]*>|\\*\\*\\*",
    "\\.\\.\\.|…|xxxx|1234567|\\[secret ",
    "your|example|sample|placeholder|change.?me|redacted|dummy|fake|insert",
    `^(?:(?:my|the|a)?[_-]?(?:${stand})s?[_-]?){1,4}$`
  ].join("|"),
  "i"
)

/** Of what is longer, so much is looked at. */
const isPlaceholder = (text: string): boolean => placeholder.test(text.slice(0, 256))

const keyBegins = "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----$/
const base64Line = /[A-Za-z0-9+/=]{16}/
const keyHeader = /(?:Proc-Type|DEK-Info|Version|Comment|Hash):/

/** What stands between the lines of a key: headers, and lines without a letter. */
const isBetween = (line: string): boolean => !/[A-Za-z]/.test(line.replace(/\\n$/, "")) || keyHeader.test(line)

/** The end of a key that was cut off: behind the last line that is one of a key. */
const tornKey = (taken: string): number => {
  const lines = taken.split(/(?<=\n|\\n)/)
  let end = 0
  let at = 0
  for (const [i, line] of lines.entries()) {
    const isKey = base64Line.test(line)
    if (i > 0 && !isKey && !isBetween(line)) break
    at += line.length
    if (i > 0 && isKey) end = at - (/(?:\r?\n|\\n)$/.exec(line)?.[0].length ?? 0)
  }
  return end
}

const privateKey: Shape = {
  kind: "private-key",
  hints: ["PRIVATE KEY"],
  // A key has few hyphens in it, and no five in a row.
  pattern: new RegExp(
    `()(${keyBegins}[^-]*(?:-(?!----)[^-]*){0,64}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?)`,
    "g"
  ),
  length: (taken) =>
    !/[A-Za-z0-9+/]{32}/.test(taken.slice(0, 4096)) ? 0 : keyEnds.test(taken.slice(-80)) ? taken.length : tornKey(taken)
}

const jwtHeader = (text: string): string =>
  Buffer.from(text.slice(0, 512).split(".", 1)[0] ?? "", "base64url").toString()

const value = "[^\\s\"'`\\\\;,&|<>()[\\]{}]"
const quoted = { "": value, "\"": "[^\"\\n\\\\]", "'": "[^'\\n\\\\]" } as const

const isPasswordName = (name: string): boolean => /(?:^|_)(?:PASSWORD|PASSWD|PASSPHRASE|PASS)$/.test(name)
const isSecretName = (name: string): boolean =>
  /(?:^|_)(?:SECRET|TOKEN|API_?KEY|SECRET_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTH_?KEY|ENCRYPTION_?KEY|SIGNING_?KEY|CREDENTIALS?|SECRET_KEY_BASE)$/
    .test(name)

const shortest = { password: 6, secret: 8 }

const isAssigned = (before: string, taken: string): boolean => {
  const name = /^\w+/.exec(before)?.[0] ?? ""
  if (isPlaceholder(taken)) return false
  return isPasswordName(name)
    ? taken.length >= shortest.password && (!before.includes(":") || !/^[A-Za-z_.]*$/.test(taken))
    : isSecretName(name) && taken.length >= shortest.secret && !/\s/.test(taken) && hasLetterAndDigit(taken)
}

/** `NAME=value` and `NAME: value`, up to the end of a word or of the quotes. */
const assignment = (quote: keyof typeof quoted): Shape => ({
  kind: "assignment",
  hints: ["PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL"],
  pattern: new RegExp(`((?<![\\w.$-])[A-Z][A-Z0-9_]*(?:=|:[ \\t]{1,4})${quote})(${quoted[quote]}+)`, "g"),
  length: (taken, next, before) =>
    whole(taken, (quote === "" ? /^(?:[\s"'`\\]|$)/.test(next) : next.startsWith(quote)) && isAssigned(before, taken))
})

/** `NAME=value` as a line of its own, in which the value may hold whatever a password may. */
const assignedInCapitals: Shape = {
  kind: "assignment",
  hints: ["PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL"],
  pattern: /(^[ \t]{0,8}(?:export[ \t])?[A-Z][A-Z0-9_]*=)([^\s"'`]\S*)/gm,
  length: (taken, next, before) =>
    whole(
      taken,
      /^(?:\r?\n|$)/.test(next) && !/[;,)\]}("'`\\]$/.test(taken) && !/\w\(|\[secret /.test(taken.slice(0, 256)) &&
        isAssigned(before.replace(/^\s*(?:export\s)?/, ""), taken)
    )
}

/** The settings of npm's registries, some of which are tokens without a shape. */
const npmSetting: Shape = {
  kind: "assignment",
  hints: [":_"],
  pattern: new RegExp(`(:_(?:authToken|password|auth)=)(${value}+)`, "g"),
  length: (taken) => whole(taken, taken.length >= shortest.secret && !isPlaceholder(taken))
}

/** A line of its own, as in .env and properties files. */
const assignedLine: Shape = {
  kind: "assignment",
  hints: ["pass", "secret", "token", "key"],
  pattern: new RegExp(`(^[ \\t]{0,8}(?:export[ \\t])?[\\w./:-]*[=])(${value}+)`, "gm"),
  length: (taken, next, before) =>
    whole(
      taken,
      /^(?:\r?\n|$)/.test(next) && taken.length >= shortest.secret && hasLetterAndDigit(taken) &&
        !isPlaceholder(taken) &&
        /(?:^|[\s_.:-])(?:password|passwd|secret|token|(?:api|secret|access|private)[_.-]?key)=$/
          .test(before)
    )
}

const awsSecret: Shape = {
  kind: "aws-secret",
  hints: ["ecret", "SECRET", "ession", "SESSION"],
  pattern: /((?:secret_?access_?key|session_?token)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)([A-Za-z0-9+/=]+)/gi,
  length: (taken, next, before) =>
    whole(taken, !isWord(next) && isMixed(taken) && (/token/i.test(before) ? taken.length >= 100 : taken.length === 40))
}

const authorization: Shape = {
  kind: "authorization",
  hints: ["uthorization", "UTHORIZATION"],
  pattern:
    /(authorization\\{0,2}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,2}["']?(?:bearer|basic|token)[ \t]{1,4})([A-Za-z0-9._~+/=-]+)/gi,
  length: (taken) => whole(taken, taken.length >= 12 && /[0-9]|[a-z][A-Z]/.test(taken) && !isPlaceholder(taken))
}

const urlPassword: Shape = {
  kind: "url-password",
  hints: ["://"],
  // The name has a bound, so that it is soon given up where there is no colon behind it.
  pattern: /(:\/\/[^\s:@/"'`<>?#[\]]{0,64}:)([^\s@/"'`<>?#]+)/g,
  length: (taken, next, before) =>
    whole(taken, /^@[\w.[-]/.test(next) && taken.length >= 6 && !isPlaceholder(taken) && before.slice(3, -1) !== taken)
}

const azureAssigned: Shape = {
  kind: "azure-key",
  hints: ["AccountKey=", "SharedAccessKey="],
  pattern: /((?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/]+={0,2})/g,
  length: (taken) => whole(taken, taken.length >= 43 && isMixed(taken))
}

const azureSignature: Shape = {
  kind: "azure-key",
  hints: ["sig="],
  pattern: /([?&]sig=)([A-Za-z0-9+/%]+=?)/g,
  length: (taken) => whole(taken, taken.length >= 43 && /(?:%3d|=)$/i.test(taken.slice(-3)) && isMixed(taken))
}

/**
 * All of them, in the order in which they are looked for: those that are told by themselves before those that are told
 * by what stands before them.
 *
 * @since 0.1.0
 * @category shapes
 */
export const shapes: ReadonlyArray<Shape> = [
  privateKey,
  token("private-key", ["AGE-SECRET-KEY-1"], /AGE-SECRET-KEY-1[A-Z0-9]{58}/),
  token("aws-key-id", ["AKIA", "ASIA"], /A[KS]IA[A-Z2-7]{16}/, (id) => !id.endsWith("EXAMPLE") && /[2-7]/.test(id)),
  awsSecret,
  token("google-key", ["AIza"], /AIza[\w-]{35}[\w-]*/, (key) => key.length === 39 && isMixed(key)),
  token("google-key", ["ya29."], /ya29\.[\w-]{40}[\w.-]*/, isMixed),
  token("google-key", ["GOCSPX-"], /GOCSPX-[\w-]{28}[\w-]*/),
  azureAssigned,
  azureSignature,
  token("azure-key", ["8Q~"], /[\w.-]{3}8Q~[\w~.-]{31}[\w~.-]*/, (key) => key.length === 40 && isMixed(key)),
  token("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], /gh[pousr]_[A-Za-z0-9]{36}[A-Za-z0-9]*/, isMixed),
  token("github-token", ["github_pat_"], /github_pat_[A-Za-z0-9]{22}_\w{50}\w*/),
  token("gitlab-token", ["glpat-", "gldt-", "glrt-"], /gl(?:pat|dt|rt)-[\w-]{20}[\w.-]*/, hasLetterAndDigit),
  token("npm-token", ["npm_"], /npm_[A-Za-z0-9]{36}[A-Za-z0-9]*/, isMixed),
  token("pypi-token", ["pypi-AgE"], /pypi-AgE[\w-]{50}[\w-]*/),
  token(
    "slack-token",
    ["xox", "xapp-"],
    /(?:xox[abeoprs]|xapp)-[0-9A-Za-z]{1,4}[0-9A-Za-z-]{14}[0-9A-Za-z-]*/,
    hasDigits
  ),
  token("slack-token", ["hooks.slack.com/services/"], /hooks\.slack\.com\/services\/T\w{6}\w*\/B\w{6}\w*\/\w{20}\w*/),
  token("stripe-key", ["_live_"], /[sr]k_live_[A-Za-z0-9]{16}[A-Za-z0-9]*/, hasLetterAndDigit),
  token("stripe-key", ["whsec_"], /whsec_[A-Za-z0-9+/]{32}[A-Za-z0-9+/=]*/, isMixed),
  token("anthropic-key", ["sk-ant-"], /sk-ant-[a-z]{3,8}\d\d-[\w-]{40}[\w-]*/),
  token(
    "openai-key",
    ["sk-"],
    /sk-(?!ant-)[\w-]{32}[\w-]*/,
    (key) => isMixed(key.slice(3)) || /-[0-9a-f]{64}$/.test(key)
  ),
  token("huggingface-token", ["hf_"], /hf_[A-Za-z]{34}[A-Za-z]*/, (key) => /[A-Z]/.test(key) && /[a-z]/.test(key)),
  token(
    "jwt",
    ["eyJ"],
    /eyJ[\w-]{8}[\w.-]*/,
    (jwt) => jwt.split(".").length === 3 && jwt.length > 60 && /^\{.*"alg"/s.test(jwtHeader(jwt))
  ),
  authorization,
  urlPassword,
  assignedInCapitals,
  assignment("\""),
  assignment("'"),
  assignment(""),
  npmSetting,
  assignedLine
]
