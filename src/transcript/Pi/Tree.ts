/**
 * The tree that the entries of a pi session make: whoever goes back and asks anew leaves a branch behind. What is on the
 * way from the last entry to the root was kept; the rest was said as well, and then abandoned.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { isObject, textIn } from "../Json.ts"
import { parse } from "../Salvage.ts"

/**
 * The parent of each entry, and the last one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tree {
  readonly parents: HashMap.HashMap<string, string>
  readonly leaf: string | undefined
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty: Tree = { parents: HashMap.empty(), leaf: undefined }

/** How pi itself begins an entry; the rest of the line need not be looked at then. */
const usual = /^\{"type":"[a-z_]{1,64}","id":"([^"\\]{1,64})","parentId":(?:null|"([^"\\]{1,64})"),/
const longestBegin = 256

const idsIn = (bytes: Uint8Array): readonly [id: string | undefined, parent: string | undefined] => {
  const begin = usual.exec(Buffer.from(bytes.subarray(0, longestBegin)).toString("latin1"))
  if (begin !== null) return [begin[1], begin[2]]
  const json = Either.getOrUndefined(parse(bytes))
  // A header has an id too, and no place in the tree.
  return isObject(json) && json["type"] !== "session"
    ? [textIn(json["id"]), textIn(json["parentId"])]
    : [undefined, undefined]
}

/**
 * Adds what a line says of the tree. A parent that was not there, in a line that is damaged, is taken to have followed
 * upon what stood before.
 *
 * @since 0.1.0
 * @category combinators
 */
export const add = ({ leaf, parents }: Tree, line: Uint8Array): Tree => {
  const [id, parent = ""] = idsIn(line)
  if (id === undefined) return { leaf, parents }
  const isLost = parent !== "" && leaf !== undefined && !HashMap.has(parents, parent)
  const known = isLost ? HashMap.set(parents, parent, leaf) : parents
  return { parents: HashMap.set(known, id, parent), leaf: id }
}

/**
 * The entries that are not on the way to the last one.
 *
 * @since 0.1.0
 * @category getters
 */
export const abandoned = ({ leaf, parents }: Tree): ReadonlySet<string> => {
  const kept = new Set<string>()
  for (
    let at = leaf;
    at !== undefined && !kept.has(at);
    at = Option.getOrUndefined(HashMap.get(parents, at))
  ) kept.add(at)
  const left = new Set<string>()
  for (const [id] of parents) if (!kept.has(id)) left.add(id)
  return left
}
