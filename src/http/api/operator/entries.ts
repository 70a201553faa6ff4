// Reads published entries one at a time, as their files have them, with the ETag for `If-Match`.
import Type, { type TProperties } from 'typebox'
import { BodyTooLarge, Busy, InvalidBody, UnknownEntry } from '../../../errors/index.ts'
import { changes, type Publisher } from '../../../features/publishing/index.ts'
import { cache, success } from '../../kernel/replies.ts'
import { type Fields, get, post, type Route } from '../../kernel/route.ts'
import { AnyFields, composeExample, Sha256, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'
import { assertParams, formatEtag, readValidBody } from './publish.ts'
import { publishScope, readScope, uncachedReply } from './scopes.ts'

const { application, version } = changes['release withdraw'].input.properties
const { id, lang } = changes['news translate'].input.properties
const { category, kind } = changes['list put'].input.properties
const { tier } = changes['tier set'].input.properties

const Preview = Type.Object({ markdown: Text('The Markdown.', 'It starts **twice** as fast.') })

const sha256 = composeExample(Sha256)
const date = composeExample(Timestamp)

/** Entries as the files state them. */
const release = {
  version: '2.1.0',
  date,
  application: 'launcher',
  beta: false,
  notes: '- Starts twice as fast',
  rollout: 100,
  withdrawn: false,
  assets: [
    {
      source: { url: 'https://downloads.example.org/launcher-2.1.0.exe' },
      name: 'launcher-2.1.0.exe',
      bytes: 84_200_000,
      sha256,
      platform: 'windows',
      arch: 'x64',
      kind: 'nsis',
    },
  ],
  state: 'public',
}
const EXAMPLES = {
  release,
  releases: release,
  resources: {
    version: '1.0.0',
    date,
    source: { url: 'https://downloads.example.org/resources-1.0.0.zip' },
    name: 'resources-1.0.0.zip',
    bytes: 52_000_000,
    sha256,
    withdrawn: false,
    state: 'public',
  },
  news: { title: 'Launcher 2.1', id: 'launcher-2-1', date, lang: 'en', file: 'news/launcher-2-1.md', translations: [] },
  problems: { file: 'news/launcher-2-2.md', line: 2, rule: 'required', message: 'The file must have "date"' },
  kinds: { category: 'kaomoji', kind: 'cat', items: 80 },
  list: { file: 'kaomoji/cat.txt', text: '(=^･ω･^=)\n(=^･ｪ･^=)\n' },
  pictures: { file: 'animals/cat/credits.yaml', default: {}, pictures: [] },
  blocklist: { file: 'blocklist.txt', text: 'bit.ly\ntinyurl.com\n' },
  tier: { tier: 2, name: 'favorite', resources: { 'example-pack': '1.0.0' }, benefits: ['Early access to betas'] },
}
type EntryName = keyof typeof EXAMPLES

const define = <const Params extends TProperties>(
  path: string,
  name: EntryName,
  summary: string,
  params: Params & Fields,
  read: (params: Type.Static<Type.TObject<Params>>) => Promise<{ entry: object; fileVersion: string | undefined }>,
): Route =>
  get(path, {
    ...readScope,
    summary,
    description:
      'Send its `ETag` as `If-Match` with a change. It changes with the file that contains the entry, also if another entry changes.',
    params,
    reply: SuccessReply({ [name]: AnyFields({ examples: [EXAMPLES[name]] }) }),
    errors: [UnknownEntry, Busy],
    handle: async (ctx) => {
      assertParams(params, ctx.params as Record<string, string>)
      const { entry, fileVersion } = await read(ctx.params as never)
      const headers = fileVersion === undefined ? [] : ['ETag', formatEtag(fileVersion)]
      return success({ [name]: entry }, { cache: cache.none, headers })
    },
  })

/** All entries, including scheduled and withdrawn ones. */
const defineList = (path: string, summary: string, fields: readonly EntryName[], read: () => Promise<object>): Route =>
  get(path, {
    ...readScope,
    summary,
    reply: SuccessReply(
      Object.fromEntries(fields.map((field) => [field, Type.Array(AnyFields({ examples: [EXAMPLES[field]] }))])),
    ),
    errors: [Busy],
    handle: async () => uncachedReply({ ...(await read()) }),
  })

export const buildEntryRoutes = (publisher: Publisher): Route[] => [
  defineList('/releases', 'All releases, highest version first', ['releases'], async () => ({
    releases: await publisher.listReleases(),
  })),
  defineList('/resources', 'All resources of the launcher, highest version first', ['resources'], async () => ({
    resources: await publisher.listResources(),
  })),
  defineList('/news', 'All news, newest first, and invalid files', ['news', 'problems'], publisher.listNews),
  defineList('/kinds', 'The kinds that have files in the content folder', ['kinds'], async () => ({
    kinds: await publisher.listKinds(),
  })),
  post('/preview', {
    ...publishScope,
    summary: 'Render Markdown as news and notes are rendered',
    body: Preview,
    reply: SuccessReply({ html: Text('Sanitised HTML.', '<p>It starts <strong>twice</strong> as fast.</p>') }),
    errors: [InvalidBody, BodyTooLarge, Busy],
    handle: async (ctx) => {
      const { markdown } = await readValidBody(ctx, Preview)
      return uncachedReply({ html: await publisher.previewMarkdown(markdown) })
    },
  }),
  define('/releases/:application/:version', 'release', 'A release', { application, version }, (params) =>
    publisher.readRelease(params.application, params.version),
  ),
  define('/resources/:version', 'resources', 'Resources of the launcher', { version }, (params) =>
    publisher.readResources(params.version),
  ),
  define('/news/:id', 'news', 'The Markdown source of a news item', { id }, (params) => publisher.readNews(params.id)),
  define('/news/:id/translations/:lang', 'news', 'The Markdown source of a translation', { id, lang }, (params) =>
    publisher.readNews(params.id, params.lang),
  ),
  define('/lists/:category/:kind', 'list', 'The list of a kind', { category, kind }, (params) =>
    publisher.readList(params.category, params.kind),
  ),
  define('/pictures/:kind', 'pictures', 'The pictures of a kind with their credits', { kind }, (params) =>
    publisher.readPictures(params.kind),
  ),
  define('/blocklist', 'blocklist', "The operator's own blocklist", {}, () => publisher.readBlocklist()),
  define('/tiers/:tier', 'tier', 'A tier', { tier }, (params) => publisher.readTier(params.tier)),
]
