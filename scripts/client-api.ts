// The types of the client, from the OpenAPI document: packages/client/src/api.ts. `npm run docs` writes it.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { allErrors } from '../src/http/api/about.ts'
import type { ApiDocument } from '../src/http/kernel/openapi.ts'
import { type Schema, typeOf } from './schema-type.ts'

const ROOT = join(import.meta.dirname, '..')
export const CLIENT_API = 'packages/client/src/api.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description?: string
  readonly schema: Schema
}

type Contents = Readonly<Record<string, { readonly schema: Schema }>>

interface Operation {
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Contents }
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>
}

/** The document of a service with the settings that it has by itself. */
export function clientApi(document: ApiDocument): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, found]) => entry(method, path, found as Operation)),
    )
  const codes = allErrors().map(({ code }) => `| '${code}'`)
  return formatted(`// Made by \`npm run docs\` from the OpenAPI document of the service; edit the route tables instead.

/** An operator may add values to those that every service has. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

export type Nothing = Record<never, never>

export interface Api {
${operations.join('\n')}
}

export type ServiceErrorCode = ${codes.join('\n')}
`)
}

function entry(method: string, path: string, { summary, parameters, requestBody, responses }: Operation): string {
  const fields = (where: Parameter['in']): Schema => {
    const given = parameters.filter((parameter) => parameter.in === where)
    return {
      type: 'object',
      properties: Object.fromEntries(
        given.map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
      ),
      required: where === 'path' ? given.map(({ name }) => name) : [],
    }
  }
  const isOpen = hasOwnKinds(path)
  const reply = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.['application/json']
  const body = requestBody?.content['application/json']
  return `/** ${summary}. */
${JSON.stringify(`${method.toUpperCase()} ${templateOf(path)}`)}: {
params: ${typeOf(fields('path'), () => isOpen)}
query: ${typeOf(fields('query'))}${body ? `\nbody: ${typeOf(body.schema)}` : ''}
reply: ${reply ? typeOf(reply.schema, (name) => isOpen && name === 'endpoint') : 'unknown'}
}`
}

/** Kinds of random content are folders and files of the operator; filters, applications and tiers are ours. */
const hasOwnKinds = (path: string) => /^\/api\/v[12]\/(?:random|animals|string|kaomoji)\//.test(path)

/** The name of the application is a setting. */
const templateOf = (path: string) => path.replace(/^\/api\/v5\/[^/]+/, '/api/v5/{app}')

function formatted(text: string): string {
  const biome = join(ROOT, 'node_modules', '.bin', 'biome')
  const done = spawnSync(biome, ['format', `--stdin-file-path=${CLIENT_API}`], { cwd: ROOT, input: text })
  if (done.status !== 0) throw new Error(`the types of the client cannot be formatted: ${done.stderr}`)
  return String(done.stdout)
}
