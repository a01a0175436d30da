/**
 * An `HttpClient` over `node:http`, for servers that think for long. `fetch` gives up on an answer whose headers do not
 * come within five minutes, whatever the caller is ready to bear (openai/openai-node#2153, ollama/ollama-js#72); here
 * only the caller decides. It follows no redirect, so what was meant for one server is never sent to another one.
 *
 * Bodies are bytes or nothing, which is all that is needed here.
 *
 * @since 0.1.0
 */
import type * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError } from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import * as https from "node:https"

type Request = HttpClientRequest.HttpClientRequest

const failed = (request: Request, reason: RequestError["reason"], cause: unknown): RequestError =>
  new RequestError({ request, reason, cause })

const bytesOf = (request: Request, body: HttpBody.HttpBody): Effect.Effect<Uint8Array | undefined, RequestError> => {
  if (body._tag === "Empty") return Effect.succeed(undefined)
  return body._tag === "Uint8Array"
    ? Effect.succeed(body.body)
    : failed(request, "Encode", new TypeError(`a body of the kind ${body._tag} cannot be sent`))
}

/** These have no body, and a web Response must not be given one. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const responseOf = (request: Request, message: http.IncomingMessage): HttpClientResponse.HttpClientResponse => {
  const { statusCode: status = 0 } = message
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return HttpClientResponse.fromWeb(
    request,
    new Response(bodiless.has(status) ? null : toWeb(message), { status, headers })
  )
}

const toWeb = (message: http.IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks: AsyncIterator<unknown> = message[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await chunks.next()
      if (next.done === true) controller.close()
      else if (next.value instanceof Uint8Array) controller.enqueue(next.value)
    },
    cancel: () => void message.destroy()
  })
}

const send = (request: Request, url: URL, body: Uint8Array | undefined, signal: AbortSignal): http.ClientRequest => {
  const { request: begin } = url.protocol === "https:" ? https : http
  const length = body === undefined ? {} : { "content-length": String(body.byteLength) }
  return begin(url, { method: request.method, headers: { ...request.headers, ...length }, signal })
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: HttpClient.HttpClient = HttpClient.make((request, url, signal) =>
  Effect.flatMap(
    bytesOf(request, request.body),
    (body) =>
      Effect.async<HttpClientResponse.HttpClientResponse, RequestError>((resume) => {
        const fail = (cause: unknown) => resume(failed(request, "Transport", cause))
        const begun = Either.try(() => send(request, url, body, signal))
        if (Either.isLeft(begun)) return fail(begun.left)
        begun.right.on("error", fail)
        begun.right.on("response", (message) =>
          resume(Effect.try({
            try: () => responseOf(request, message),
            catch: (cause) => {
              message.destroy()
              return failed(request, "Transport", cause)
            }
          })))
        begun.right.end(body)
      })
  )
)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.succeed(HttpClient.HttpClient, make)
