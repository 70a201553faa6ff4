import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Scope } from './scope.ts'
import { startSource } from './source.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface Picture {
  readonly type: string
  readonly body: Uint8Array | string
  readonly headers?: Record<string, string>
}

export interface PictureSource {
  readonly url: string
  /** A value for FILTER_ALLOW_HOSTS. */
  readonly host: string
  /** The requested paths, in order. */
  readonly requestedPaths: string[]
  /** Sets the response of a path and returns its URL. */
  put(path: string, answer: Answer | Picture): string
}

/** A source on loopback with a response per path. */
export async function startPictureSource(t: Scope): Promise<PictureSource> {
  const answers = new Map<string, Answer>()
  const requestedPaths: string[] = []
  const source = await startSource(t, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    requestedPaths.push(path)
    const answer = answers.get(path)
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  const url = `http://${source.host}`
  return {
    url,
    host: source.host,
    requestedPaths,
    put(path, answer) {
      answers.set(path, typeof answer === 'function' ? answer : (_, response) => show(answer, response))
      return url + path
    },
  }
}

const show = ({ type, body, headers }: Picture, response: ServerResponse) =>
  response.writeHead(200, { 'content-type': type, ...headers }).end(body)
