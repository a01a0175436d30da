/**
 * The stem of an English word, by Porter's algorithm of 1980, so that a word is known again in its other forms: the
 * same steps as the index's tokenizer takes. Pure.
 *
 * @since 0.1.0
 */

/** Words that the tokenizer leaves as they are: too short, or too long to be words (in bytes of UTF-8). */
const shortest = 3
const longest = 64

const isVowelLetter = (letter: string): boolean => "aeiou".includes(letter)

/** A y is a vowel behind a consonant. */
const isVowel = (word: string, at: number): boolean => {
  const letter = word.charAt(at)
  return isVowelLetter(letter) || letter === "y" && at > 0 && !isVowel(word, at - 1)
}

const hasVowel = (stem: string): boolean => Array.from(stem, (_, at) => isVowel(stem, at)).includes(true)

/** How often consonants follow upon vowels. */
const measure = (stem: string): number => {
  let count = 0
  for (let at = 1; at < stem.length; at++) if (isVowel(stem, at - 1) && !isVowel(stem, at)) count++
  return count
}

const endsInDouble = (word: string): boolean =>
  word.length > 1 && word.at(-1) === word.at(-2) && !isVowelLetter(word.slice(-1))

/** Consonant, vowel, consonant, the last none of w, x and y: such a short stem had an e. */
const endsShort = (word: string): boolean => {
  const last = word.length - 1
  return last > 1 && !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2)
    && !"wxy".includes(word.charAt(last))
}

type Rules = ReadonlyArray<readonly [suffix: string, instead: string]>

/** The first suffix that the word has decides: it is replaced where what stands before it is long enough. */
const replaceFirst = (word: string, rules: Rules, wanted: (stem: string, suffix: string) => boolean): string => {
  const rule = rules.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const [suffix, instead] = rule
  const stem = word.slice(0, -suffix.length)
  return wanted(stem, suffix) ? stem + instead : word
}

const plurals: Rules = [["sses", "ss"], ["ies", "i"], ["ss", "ss"], ["s", ""]]

const withoutPastOrIng = (word: string): string => {
  if (word.length > 3 && word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const suffix = ["ed", "ing"].find((end) => word.endsWith(end))
  const stem = suffix === undefined ? "" : word.slice(0, -suffix.length)
  if (!hasVowel(stem)) return word
  if (["at", "bl", "iz"].some((end) => stem.endsWith(end))) return `${stem}e`
  if (endsInDouble(stem) && !"lsz".includes(stem.charAt(stem.length - 1))) return stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

const longSuffixes: Rules = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["logi", "log"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"]
]

const middleSuffixes: Rules = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""]
]

const lastSuffixes: Rules = [
  "al",
  "ance",
  "ence",
  "er",
  "ic",
  "able",
  "ible",
  "ant",
  "ement",
  "ment",
  "ent",
  "ion",
  "ou",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize"
].map((suffix) => [suffix, ""])

const withoutFinalE = (word: string): string => {
  if (!word.endsWith("e")) return word
  const stem = word.slice(0, -1)
  const count = measure(stem)
  return count > 1 || count === 1 && !endsShort(stem) ? stem : word
}

const stemOf = (word: string): string => {
  const singular = withoutPastOrIng(replaceFirst(word, plurals, () => true))
  const before = singular.slice(0, -1)
  const withI = singular.endsWith("y") && hasVowel(before) ? `${before}i` : singular
  const long = replaceFirst(withI, longSuffixes, (stem) => measure(stem) > 0)
  const middle = replaceFirst(long, middleSuffixes, (stem) => measure(stem) > 0)
  const short = replaceFirst(
    middle,
    lastSuffixes,
    (stem, suffix) => measure(stem) > 1 && (suffix !== "ion" || /[st]$/.test(stem))
  )
  const bare = withoutFinalE(short)
  return bare.endsWith("ll") && measure(bare.slice(0, -1)) > 1 ? bare.slice(0, -1) : bare
}

/**
 * The stem of a word in lower case. The tokenizer sees bytes of UTF-8, each of a letter beyond ASCII a consonant, and
 * so it is done here.
 *
 * @since 0.1.0
 * @category stemming
 */
export const stem = (word: string): string => {
  const bytes = Buffer.from(word)
  if (bytes.length < shortest || bytes.length > longest) return word
  return bytes.length === word.length
    ? stemOf(word)
    : Buffer.from(stemOf(bytes.toString("latin1")), "latin1").toString()
}
