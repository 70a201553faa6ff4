import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Scope } from './scope.ts'
import { startSource } from './source.ts'

interface ReceivedMessage {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a webhook on loopback. Without `reply` it accepts every message as Discord does. */
export async function startReceiver(
  t: Scope,
  reply: (response: ServerResponse, attempt: number) => void = (response) => response.writeHead(204).end(),
) {
  const received: ReceivedMessage[] = []
  const source = await startSource(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ method: request.method, path: request.url, headers: request.headers, body })
    reply(response, received.length)
  })
  return {
    url: source.url,
    received,
    /** The messages of a receiver of JSON. */
    messages: () => received.map(({ body }) => JSON.parse(body) as Record<string, string>),
  }
}
