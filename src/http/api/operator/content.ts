// Checks and confirmations of the content of the running service.
import Type from 'typebox'
import { BodyTooLarge, ChangeRefused, InvalidBody, toApiError, UnknownUpload } from '../../../errors/index.ts'
import type { Tokens } from '../../../features/access/index.ts'
import type { Blocklist, UpdateOptions, updateBlocklist } from '../../../features/blocklist/index.ts'
import { UpdateError } from '../../../features/blocklist/index.ts'
import { acceptGroups, type listGroups, type Uploads } from '../../../features/publishing/index.ts'
import { get, post, type Route } from '../../kernel/route.ts'
import { Count, OrNull, Sha256, SuccessReply, Text } from '../../kernel/schemas.ts'
import { readValidBody } from './publish.ts'
import { checkTokenAgain, publishScope, readScope, uncachedReply } from './scopes.ts'

const Names = Type.Object({
  names: Type.Optional(
    Type.Array(Type.String(), { description: 'Names as in `/readyz`, such as `app/news`. Default: all.' }),
  ),
})

const NewList = Type.Object({
  upload: Text('SHA-256 of a complete upload.'),
  name: Text('Origin of the list, as a name or URL. `blocklist status` shows it.'),
  force: Type.Optional(
    Type.Boolean({ description: 'Allows a list that is empty or has less than half of the current entries.' }),
  ),
})

export interface ContentServices {
  readonly uploads: Uploads
  readonly updateList: (options: Pick<UpdateOptions, 'source' | 'name' | 'force'>) => ReturnType<typeof updateBlocklist>
  readonly blocklist: Pick<Blocklist, 'entryFor'>
  readonly entryGroups: () => ReturnType<typeof listGroups>
  readonly reload: () => Promise<void>
  readonly tokens: Tokens
}

export const buildContentRoutes = ({
  blocklist,
  entryGroups,
  updateList,
  uploads,
  reload,
  tokens,
}: ContentServices): Route[] => [
  post('/content/accept', {
    ...publishScope,
    summary: 'Confirm that entries were removed on purpose',
    description: 'Required after files lost all or most of their entries. Until then, the last good state is served.',
    body: Names,
    reply: SuccessReply({
      accepted: Type.Array(
        Type.Object({
          name: Type.String({ examples: ['app/news'] }),
          before: Count,
          now: Type.Integer({ ...Count, examples: [2] }),
        }),
        { description: 'Groups that were confirmed, with their number of entries.' },
      ),
    }),
    errors: [InvalidBody, BodyTooLarge],
    handle: async (ctx) => {
      const { names = [] } = await readValidBody(ctx, Names)
      await checkTokenAgain(tokens, 'publish', ctx)
      const accepted = await acceptGroups(entryGroups(), names).catch((error) => {
        throw toApiError(error) ?? error
      })
      await reload()
      return uncachedReply({ accepted })
    },
  }),
  post('/blocklist/update', {
    ...publishScope,
    summary: 'Replace the downloaded blocklist',
    description:
      'Send the list to `operator/uploads/{sha256}` first. If BLOCKLIST_URL is set, the next download replaces it ' +
      'again. It is not part of the history.',
    body: NewList,
    reply: SuccessReply({
      changed: Type.Boolean({ description: 'False if it is the same list.' }),
      entries: Count,
      sha256: Sha256,
    }),
    errors: [InvalidBody, BodyTooLarge, UnknownUpload, ChangeRefused],
    handle: async (ctx) => {
      const { upload, ...options } = await readValidBody(ctx, NewList)
      await checkTokenAgain(tokens, 'publish', ctx)
      const found = /^[0-9a-f]{64}$/i.test(upload) ? await uploads.find(upload.toLowerCase()) : undefined
      if (!found?.complete) throw new UnknownUpload()
      const source = uploads.pathOf(upload.toLowerCase())
      const { changed, entries, sha256 } = await updateList({ source, ...options }).catch((error) => {
        if (!(error instanceof UpdateError)) throw error
        const hint = error.canBeForced ? ' Update with force to accept it.' : ''
        throw new ChangeRefused(`The list was rejected: ${error.message}.${hint}`)
      })
      await uploads.remove(upload.toLowerCase())
      await reload()
      return uncachedReply({ changed, entries, sha256 })
    },
  }),
  get('/blocklist/hosts/:host', {
    ...readScope,
    summary: 'Whether a host is on a blocklist',
    params: { host: Text('Name of the host, in ASCII.') },
    reply: SuccessReply({
      host: Type.String({ examples: ['www.bit.ly'] }),
      entry: OrNull(Type.String({ examples: ['bit.ly'] }), 'The entry that blocks it, or null if it is not blocked.'),
    }),
    handle: ({ params: { host } }) => uncachedReply({ host, entry: blocklist.entryFor(host.toLowerCase()) ?? null }),
  }),
]
