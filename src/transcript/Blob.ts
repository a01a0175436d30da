/**
 * Images and binary documents as a Record holds them: what they are, how large, and the hash of their bytes. Never the
 * bytes: base64 is no text that anybody finds again.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"

const kibibyte = 1024

const sizeOf = (bytes: number): string => {
  if (bytes < kibibyte) return `${bytes} B`
  return bytes < kibibyte * kibibyte
    ? `${Math.round(bytes / kibibyte)} KB`
    : `${(bytes / kibibyte / kibibyte).toFixed(1)} MB`
}

/**
 * `[image image/png 183 KB sha256:…]`, of what is given as base64.
 *
 * @since 0.1.0
 * @category formatting
 */
export const described = (what: string, mediaType: string | undefined, base64: string): string => {
  const bytes = Buffer.from(base64, "base64")
  return `[${[what, ...(mediaType === undefined ? [] : [mediaType])].join(" ")} ${sizeOf(bytes.length)} sha256:${
    hash("sha256", bytes, "hex")
  }]`
}

const dataUrl = /^data:([^;,]{0,127})(?:;[^;,]{0,127}){0,8};base64,/

/**
 * An image by its URL: one that holds the image itself is described as one that was given apart.
 *
 * @since 0.1.0
 * @category formatting
 */
export const imageAt = (url: string): string => {
  const [head, mediaType] = dataUrl.exec(url) ?? []
  return head === undefined ? `[image ${url}]` : described("image", mediaType || undefined, url.slice(head.length))
}

/** Shorter ones may be names, hashes or tokens. */
const fewest = 4096

/**
 * A text, or what it is where it is base64 and nothing else.
 *
 * @since 0.1.0
 * @category formatting
 */
export const withoutBase64 = (text: string): string =>
  text.length >= fewest && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? described("data", undefined, text) : text
