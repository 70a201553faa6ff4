import Type from 'typebox'
import { putBlocklist } from '../blocklist/index.ts'
import * as content from '../content/index.ts'
import { defineChange } from './change.ts'
import { removeUploads, toSource } from './uploaded-file.ts'

const Text = (description: string) => Type.String({ description })

const list = {
  category: Type.Enum(content.listCategories, { description: 'The category.' }),
  kind: Text('The kind: a-z, 0-9 and -. A new kind is created.'),
}
const nameList = ({ category, kind }: { category: string; kind: string }) => `${category}/${kind}`

const pictures = { kind: Text('The kind of animal, such as cat. A new kind is created.') }
const files = Type.Array(Type.String(), { minItems: 1, maxItems: 10_000, description: 'Names of the files.' })
const credit = content.Credit.properties
const namePictures = ({ kind, files }: { kind: string; files: readonly string[] }) =>
  `${kind}: ${files.length === 1 ? files[0] : `${files.length} pictures`}`

/** What only commands can give. */
type PictureSources = Partial<Pick<content.AddPicturesOptions, 'sources' | 'fetch' | 'onProgress'>>

export const contentChanges = {
  'list put': defineChange()({
    summary: 'Publish or replace the list of a kind',
    description: 'One text per line; `#` starts a comment. For `yt-video`, YAML with `id` and `title` of each video.',
    input: Type.Object({ ...list, text: Text('The content of the file.') }),
    subject: nameList,
    run: (input, context) => content.putList({ ...input, ...context }),
  }),
  'list remove': defineChange()({
    summary: 'Remove the list of a kind',
    description: 'A built-in kind has the list of the service again.',
    input: Type.Object(list),
    subject: nameList,
    run: (input, context) => content.removeList({ ...input, ...context }),
  }),
  'videos put': defineChange()({
    summary: 'Publish or replace the videos of a kind',
    input: Type.Object({
      kind: list.kind,
      videos: Type.Array(Type.Object({ id: Text('The part of its URL after `watch?v=`.'), title: Text('Title.') })),
    }),
    subject: ({ kind }) => `yt-video/${kind}`,
    run: (input, context) => content.putVideos({ ...input, ...context }),
  }),
  'content add': defineChange<PictureSources>()({
    summary: 'Add pictures to a kind of animal',
    description:
      'Send each picture to `operator/uploads/{sha256}` first. Pictures are rotated upright, metadata such as GPS is ' +
      'removed, and duplicates are skipped. `results` tells what happened to each of them.',
    input: Type.Object({
      ...pictures,
      ...credit,
      pictures: Type.Optional(
        Type.Array(Type.Object({ upload: Text('SHA-256 of a complete upload.'), name: Text('Name of the file.') }), {
          maxItems: 500,
        }),
      ),
    }),
    subject: ({ kind }) => kind,
    async run({ kind, pictures = [], sources = [], fetch, onProgress, ...fields }, { uploads, ...context }) {
      const uploaded = pictures.map((picture) => toSource(picture, uploads))
      const added = await content.addPictures({
        ...{ kind, fetch, onProgress, ...context },
        credits: withoutUndefined(fields),
        sources: [...sources, ...uploaded],
      })
      await removeUploads(pictures, { uploads, ...context })
      return added
    },
  }),
  'content remove': defineChange()({
    summary: 'Remove pictures with their credits',
    input: Type.Object({ ...pictures, files }),
    subject: namePictures,
    run: (input, context) => content.removePictures({ ...input, ...context }),
  }),
  'content credit': defineChange()({
    summary: 'Replace the credits of pictures',
    input: Type.Object({ ...pictures, files, ...credit }),
    subject: namePictures,
    run: ({ kind, files, ...fields }, context) =>
      content.creditPictures({ kind, files, credit: withoutUndefined(fields), ...context }),
  }),
  'blocklist put': defineChange()({
    summary: 'Replace the own blocklist of the operator',
    description: 'Its entries add to those of a fetched list.',
    input: Type.Object({
      text: Text('One domain per line; hosts files, Adblock lists and dnsmasq lists are accepted too.'),
      force: Type.Optional(Type.Boolean({ description: 'Allows less than half of the entries.' })),
    }),
    subject: () => 'blocklist.txt',
    run: (input, context) => putBlocklist({ ...input, ...context }),
  }),
}

const withoutUndefined = (fields: object): content.Credit =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
