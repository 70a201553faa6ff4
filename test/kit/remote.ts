// A service, and commands that act on it from another folder.
import { writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { commandLine } from './command-line.ts'
import { startPublisher } from './operator.ts'
import type { Scope } from './scope.ts'
import { startSource } from './source.ts'

/** A service, and a command line in another folder with a token for it. */
export async function startRemote(scope: Scope, settings: Record<string, string> = {}) {
  const app = await startPublisher(scope, {}, settings)
  const tokenWith = async (...scopes: ('read' | 'write' | 'publish')[]) =>
    (await app.authorize(scopes)).Authorization!.slice('Bearer '.length)
  const token = await tokenWith('read', 'write', 'publish')
  const local = await commandLine(scope)
  const laptop = await commandLine(scope, {
    CONTENT_DIR: join(local.folder, 'none'),
    MENAGERIE_SERVER: app.url,
    MENAGERIE_TOKEN: token,
  })
  await writeFile(laptop.file('setup.exe'), 'hello')
  return { app, laptop, local, token, tokenWith }
}

/** A server that claims to be a service with these operator endpoints. */
export async function startImpostor(scope: Scope, endpoints: readonly string[], handle: RequestListener = () => {}) {
  const operations = ['/token', ...endpoints].map((path) => [
    `/api/v5/app/operator${path}`,
    { get: {}, put: {}, post: {} },
  ])
  const description = JSON.stringify({ paths: Object.fromEntries(operations) })
  const { url } = await startSource(scope, (request, reply) =>
    request.url === '/openapi.json' ? void reply.end(description) : handle(request, reply),
  )
  return url('')
}
