// The endpoints of changes, one per entry of `changes` in features/publishing.
import Type, { type TObject, type TProperties } from 'typebox'
import {
  BodyTooLarge,
  Busy,
  ChangeRefused,
  InvalidBody,
  PreconditionFailed,
  StorageFull,
  UnknownEntry,
} from '../../../errors/index.ts'
import type { Tokens } from '../../../features/access/index.ts'
import { type ChangeDefinition, type ChangeName, changes, type Publisher } from '../../../features/publishing/index.ts'
import type { Releases } from '../../../features/releases/index.ts'
import { findSchemaError } from '../../../platform/yaml/index.ts'
import { type ParameterSchema, readBody } from '../../kernel/input.ts'
import { cache, MAX_ETAGS, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { type Fields, put, type Route } from '../../kernel/route.ts'
import { AnyFields, OrNull, SuccessReply, Text } from '../../kernel/schemas.ts'
import { publishScope } from './scopes.ts'

/** Release notes in several languages; a news file has at most 256 KiB. */
const MAX_BODY_BYTES = 2 * 1024 * 1024

const release = '/releases/:application/:version'
const translation = '/news/:id/translations/:lang'
/** Commands that act on a remote service use them, too. */
export const changeEndpoints: readonly (readonly [name: ChangeName, method: Route['method'], path: string])[] = [
  ['release publish', 'PUT', release],
  ['release notes', 'PUT', `${release}/notes`],
  ['release minimum', 'PUT', `${release}/minimum`],
  ['release rollout', 'PUT', `${release}/rollout`],
  ['release ramp', 'PUT', `${release}/ramp`],
  ['release pause', 'POST', `${release}/pause`],
  ['release resume', 'POST', `${release}/resume`],
  ['release report-failures', 'POST', `${release}/report-failures`],
  ['release withdraw', 'POST', `${release}/withdraw`],
  ['release restore', 'POST', `${release}/restore`],
  ['release supersede', 'POST', `${release}/supersede`],
  ['resources publish', 'PUT', '/resources/:version'],
  ['resources remove', 'DELETE', '/resources/:version'],
  ['resources withdraw', 'POST', '/resources/:version/withdraw'],
  ['resources restore', 'POST', '/resources/:version/restore'],
  ['news add', 'POST', '/news'],
  ['news put', 'PUT', '/news/:id'],
  ['news remove', 'DELETE', '/news/:id'],
  ['news translate', 'PUT', translation],
  ['news remove translation', 'DELETE', translation],
  ['tier set', 'PUT', '/tiers/:tier'],
  ['list put', 'PUT', '/lists/:category/:kind'],
  ['list remove', 'DELETE', '/lists/:category/:kind'],
  ['videos put', 'PUT', '/videos/:kind'],
  ['content add', 'POST', '/pictures/:kind'],
  ['content remove', 'POST', '/pictures/:kind/remove'],
  ['content credit', 'PUT', '/pictures/:kind/credits'],
  ['blocklist put', 'PUT', '/blocklist'],
]

const changeFields = {
  dryRun: Type.Boolean({ description: 'True for a dry run: nothing was written.' }),
  changed: Type.Boolean({ description: 'False if the request changes no published content.', examples: [true] }),
  file: Text('The changed file in the content folder.', 'app/releases.yaml'),
  diff: Text('Removed lines start with "-", added lines with "+".', '-    rollout: 25\n+    rollout: 50\n'),
  history: OrNull(
    Type.Integer({ examples: [42] }),
    'Id of the change in the history, or null if nothing was changed. Many pictures are added in several changes: ' +
      'then `result.parts` has all their ids. Undo the last one first.',
  ),
}

const ChangeReply = SuccessReply(
  {
    ...changeFields,
    result: AnyFields({ description: 'What the change did.', examples: [{ version: '2.2.0', rollout: 50 }] }),
  },
  { component: 'ChangeReply' },
)

export const changeSpec = {
  ...publishScope,
  query: {
    dryRun: Type.Enum(['true', 'false'], { description: 'With `true`, everything is checked and nothing is changed.' }),
  },
  headers: {
    'If-Match': Text('The change is refused (412) if the ETag of the entry is different.'),
    'If-None-Match': Text(
      'With `*`, the change is refused (412) if the file of the entry exists. All releases have one file, and so have all ' +
        'resources and all tiers.',
    ),
  },
  reply: ChangeReply,
  errors: [InvalidBody, BodyTooLarge, ChangeRefused, UnknownEntry, PreconditionFailed, StorageFull, Busy],
}

export interface PublishServices {
  readonly publisher: Publisher
  readonly tokens: Tokens
  readonly releases: Releases
}

export const buildPublishRoutes = (services: PublishServices): Route[] =>
  changeEndpoints.map(([name, method, path]) => {
    const { summary, description, input } = changes[name] as unknown as ChangeDefinition
    const { params, body } = splitInput(input, path)
    const route = put(path, {
      ...changeSpec,
      summary,
      params,
      ...(description && { description }),
      ...(body && { body }),
      handle: async (ctx) => {
        assertParams(params, ctx.params as Record<string, string>)
        const fields = body ? await readValidBody(ctx, body) : {}
        return applyChange(services, ctx, (options) =>
          services.publisher.apply(name, { ...fields, ...(ctx.params as object) } as never, options),
        )
      },
    })
    return { ...route, method }
  })

/** Applications, categories and tiers in the path: others do not exist. */
export function assertParams(schemas: Fields, values: Readonly<Record<string, string>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const { enum: allowed } = schema as ParameterSchema
    if (allowed && !allowed.includes(values[name]!))
      throw new UnknownEntry(`There is no such ${name}. Use one of: ${allowed.join(', ')}.`)
  }
}

/** Fields of the path, and those of the body. */
function splitInput({ properties }: TObject, path: string) {
  const names = path.split('/').flatMap((part) => (part.startsWith(':') ? part.slice(1) : []))
  const pick = (isWanted: (name: string) => boolean): TProperties =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => isWanted(name)))
  const rest = pick((name) => !names.includes(name))
  const body = Object.keys(rest).length > 0 ? Type.Object(rest, { additionalProperties: false }) : undefined
  return { params: pick((name) => names.includes(name)), body }
}

export async function readValidBody<Schema extends TObject>(ctx: RequestContext, schema: Schema) {
  const value = await readBody(ctx, schema, MAX_BODY_BYTES)
  const error = findSchemaError(schema, value)
  if (!error) return value as Type.Static<Schema>
  const { field, rule } = error
  throw new InvalidBody(`${field === '' ? 'The body' : `"${field}"`} ${rule}.`, field === '' ? {} : { field })
}

/** Makes a change in the name of the token. Changes of the product are live on this worker when the reply is sent. */
export async function applyChange<Result extends Awaited<ReturnType<Publisher['undo']>>>(
  { tokens, releases }: PublishServices,
  ctx: RequestContext<unknown, { dryRun?: string | undefined }>,
  change: (options: Parameters<Publisher['apply']>[2]) => Promise<Omit<Result, 'entry'>>,
) {
  const { label: by, id: token } = await tokens.authenticate(ctx.header('authorization'), 'publish')
  const dryRun = ctx.query.dryRun === 'true'
  const ifVersion = readVersions(ctx.header('if-match'))
  const ifNotVersion = readVersions(ctx.header('if-none-match'))
  const done = await change({ by, token, dryRun, ifVersion, ifNotVersion })
  const { file, diff, history = null, fileVersion, ...result } = done
  const changed = diff !== '' || (done.repaired ?? []).length > 0
  if (changed && !dryRun && file.startsWith('app/')) await releases.reload()
  const headers = fileVersion ? ['ETag', formatEtag(fileVersion)] : []
  return success({ dryRun, changed, file, diff, history, result }, { cache: cache.none, headers })
}

export const formatEtag = (version: string) => `"${version}"`

/** The versions of a list of strong ETags. A weak one never matches, as RFC 9110 requires. */
const readVersions = (header: string | undefined) =>
  header?.split(',', MAX_ETAGS).flatMap((tag) => (tag.trim() === '*' ? '*' : (/^"(.*)"$/.exec(tag.trim())?.[1] ?? [])))
