import Type from 'typebox'
import { ChangeRefused } from '../../errors/index.ts'
import { readOptionalFile } from '../../platform/files/index.ts'
import { putBlocklist } from '../blocklist/index.ts'
import * as content from '../content/index.ts'
import { defineChange, removeUploads, Switch, Text, toSource } from './change.ts'
import type { Uploads } from './uploads.ts'

const list = {
  category: Type.Enum(content.listCategories, { description: 'The category.' }),
  kind: Text('The kind: a-z, 0-9 and -.'),
}
const force = Switch('Allows a list with less than half of the current entries.')
const nameList = ({ category, kind }: { category: string; kind: string }) => `${category}/${kind}`

const pictures = { kind: Text('The kind of animal, such as cat.') }
const files = Type.Array(Type.String(), { minItems: 1, maxItems: 10_000, description: 'Names of the files.' })
const credit = content.Credit.properties
const namePictures = ({ kind, files }: { kind: string; files: readonly string[] }) =>
  `${kind}: ${files.length === 1 ? files[0] : `${files.length} pictures`}`

/** What only commands can give. */
type PictureSources = Partial<Pick<content.AddPicturesOptions, 'sources' | 'fetch' | 'onProgress'>>

export const contentChanges = {
  'list put': defineChange()({
    summary: 'Publish or replace the list of a kind',
    description:
      'One text per line; `#` starts a comment. For `yt-video`, YAML with `id` and `title` of each video. A new kind is ' +
      'created.',
    input: Type.Object({ ...list, text: Text('The content of the file.'), force }),
    subject: nameList,
    run: (input, context) => content.putList({ ...input, ...context }),
  }),
  'list remove': defineChange()({
    summary: 'Remove the list of a kind',
    description: 'A built-in kind then has its default list.',
    input: Type.Object(list),
    subject: nameList,
    run: (input, context) => content.removeList({ ...input, ...context }),
  }),
  'videos put': defineChange()({
    summary: 'Publish or replace the videos of a kind',
    description: 'A new kind is created.',
    input: Type.Object({
      kind: list.kind,
      videos: Type.Array(Type.Object({ id: Text('The part of its URL after `watch?v=`.'), title: Text('Title.') }), {
        maxItems: 10_000,
      }),
      force,
    }),
    subject: ({ kind }) => `yt-video/${kind}`,
    run: (input, context) => content.putVideos({ ...input, ...context }),
  }),
  'content add': defineChange<PictureSources>()({
    summary: 'Add pictures to a kind of animal',
    description:
      'Send each picture to `operator/uploads/{sha256}` first. Pictures are rotated upright, metadata such as GPS is ' +
      'removed, and duplicates are skipped. `result.results` has the outcome of each. A new kind is created.',
    input: Type.Object({
      ...pictures,
      ...credit,
      keepDrawings: Switch('True: a built-in kind serves its drawings and the pictures. Default: only the pictures.'),
      pictures: Type.Optional(
        Type.Array(Type.Object({ upload: Text('SHA-256 of a complete upload.'), name: Text('Name of the file.') }), {
          maxItems: 500,
        }),
      ),
    }),
    subject: ({ kind }) => kind,
    async run(
      { kind, pictures = [], sources = [], keepDrawings, fetch, onProgress, ...fields },
      { uploads, ...context },
    ) {
      const { findResult, markUsed } = await findUsed(kind, pictures, context.dir, uploads)
      const unknown = pictures.filter((picture) => !findResult(picture))
      const added = await content.addPictures({
        ...{ kind, keepDrawings, fetch, onProgress, ...context },
        credits: withoutUndefined(fields),
        sources: [...sources, ...unknown.map((picture) => toSource(picture, uploads))],
      })
      const rest = [...added.results]
      const results = pictures.length === 0 ? rest : pictures.map((picture) => findResult(picture) ?? rest.shift()!)
      const [first] = results
      if (pictures.length > 0 && first?.outcome === 'refused' && results.every(({ outcome }) => outcome === 'refused'))
        throw new ChangeRefused(`No picture was added. ${first.source}: ${first.reason}.`, { results })
      if (!context.dryRun) await markUsed(unknown, added.results)
      await removeUploads(unknown, { uploads, ...context })
      return { ...added, results }
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
    summary: "Replace the operator's own blocklist",
    description: 'Its entries are used in addition to those of the downloaded list.',
    input: Type.Object({
      text: Text('One domain per line; hosts files, Adblock lists and dnsmasq lists are accepted too.'),
      force,
    }),
    subject: () => 'blocklist.txt',
    run: (input, context) => putBlocklist({ ...input, ...context }),
  }),
}

const withoutUndefined = (fields: object): content.Credit =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

type UploadedPicture = { readonly upload: string; readonly name: string }

/** The pictures that an earlier request added: its uploads are gone, and a client may repeat it. */
async function findUsed(kind: string, pictures: readonly UploadedPicture[], dir: string, uploads: Uploads | undefined) {
  const known = new Map<UploadedPicture, content.AddResult>()
  const used = pictures.length === 0 ? {} : ((await uploads?.readUsed()) ?? {})
  for (const picture of pictures) {
    const file = used[`${kind}/${picture.upload.toLowerCase()}`]
    const isKept = file !== undefined && (await readOptionalFile(dir, `animals/${kind}/${file}`)) !== null
    if (!isKept || (await uploads?.find(picture.upload.toLowerCase()))) continue
    known.set(picture, { source: picture.name, outcome: 'skipped', reason: `it already exists as ${file}` })
  }
  return {
    findResult: (picture: UploadedPicture) => known.get(picture),
    /** `results` are those of `added`, in the same order. */
    async markUsed(added: readonly UploadedPicture[], results: readonly content.AddResult[]): Promise<void> {
      const files = added.flatMap(({ upload }, index) => {
        const result = results[index]
        return result?.outcome === 'added' ? [[`${kind}/${upload.toLowerCase()}`, result.file]] : []
      })
      if (files.length > 0) await uploads?.markUsed(Object.fromEntries(files))
    },
  }
}
