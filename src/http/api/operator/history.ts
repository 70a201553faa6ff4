import Type from 'typebox'
import { Busy, ChangedSince, ChangeRefused, PreconditionFailed, UnknownChange } from '../../../errors/index.ts'
import { listHistory, toChangeJson } from '../../../features/publishing/index.ts'
import { get, post, type Route } from '../../kernel/route.ts'
import { IntegerParameter, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'
import { applyChange, changeSpec, type PublishServices } from './publish.ts'
import { readScope, uncachedReply } from './scopes.ts'

const LIMIT = { minimum: 1, maximum: 1000, default: 50 }

/** A file name for examples. */
const FILE = 'kaomoji/cat.txt'

const Entry = {
  id: Type.Integer({ examples: [42] }),
  at: Timestamp,
  by: Text('Label of the token, or `command`.', 'deploy'),
  token: Type.Optional(Text('Id of the token.', 'e4185b6a')),
  change: Text('Name of the change, such as `release withdraw`.', 'list put'),
  subject: Text('What was changed, such as `launcher 2.1.0`.', 'kaomoji cat'),
  undoes: Type.Optional(Type.Integer({ description: 'Id of the change that this one undid.' })),
}
const undoneBy = Type.Optional(Type.Integer({ description: 'Id of the change that undid this one.' }))
const Lines = (description: string, example: string) =>
  Type.Array(Type.String({ examples: [example] }), { description })
const File = Type.Object(
  {
    file: Text('Relative to the content folder.', FILE),
    line: Type.Integer({ description: 'Number of lines before the first changed line.', examples: [3] }),
    removed: Lines('Lines that the change removed.', '(=^･^=)'),
    added: Lines('Lines that the change added.', '(=^･ω･^=)'),
    bytes: Type.Optional(Type.Integer({ description: 'Size of the file. Only for pictures, which have no lines.' })),
    state: Type.Enum(['added', 'changed', 'removed'], {
      description: 'What the change did to the file.',
      examples: ['changed'],
    }),
  },
  { component: 'ChangedFile' },
)

const params = { id: Text('Id from the history.') }

export const buildHistoryRoutes = (services: PublishServices): Route[] => {
  const { history } = services.publisher
  return [
    get('/history', {
      ...readScope,
      summary: 'Changes to the published content, newest first',
      query: { limit: IntegerParameter('Maximum number of changes in the reply.', LIMIT) },
      reply: SuccessReply({
        history: Type.Array(Type.Object({ ...Entry, undoneBy, files: Type.Array(Type.String({ examples: [FILE] })) })),
      }),
      handle: async ({ query }) => uncachedReply({ history: await listHistory(history, query.limit ?? LIMIT.default) }),
    }),
    get('/history/:id', {
      ...readScope,
      summary: 'A change, with the removed and added lines',
      params,
      reply: SuccessReply({ change: Type.Object({ ...Entry, files: Type.Array(File) }) }),
      errors: [UnknownChange],
      handle: async ({ params: { id } }) => uncachedReply({ change: toChangeJson(await history.find(parseId(id))) }),
    }),
    post('/history/:id/undo', {
      ...changeSpec,
      summary: 'Undo a change',
      description:
        'Refused if one of its files was changed since. The undo is a change itself, so it can be undone, too. ' +
        'Files that a release added stay on the disk.',
      params,
      errors: [UnknownChange, ChangedSince, ChangeRefused, PreconditionFailed, Busy],
      handle: (ctx) =>
        applyChange(services, ctx, async (options) => {
          const { entry: _, ...undone } = await services.publisher.undo(parseId(ctx.params.id), options)
          return undone
        }),
    }),
  ]
}

const parseId = (text: string) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0)
