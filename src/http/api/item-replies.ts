// Pictures, texts and videos in replies: URL, description and JSON.
import Type from 'typebox'
import type { PictureItem as Picture, PictureCredit, TextItem } from '../../features/content/index.ts'
import { idOf, pictureTypeNames, pictureTypes, UNKNOWN_COLOR } from '../../features/content/index.ts'
import { Bytes, EXAMPLE_BASE, OrNull, Text } from '../kernel/schemas.ts'

export const MEDIA_PATH = '/media/animals'

/** Nearly all names: the check is faster than encoding. */
const PLAIN_NAME = /^[\w.~-]*$/

export const buildPicturePath = ({ kind, file }: Picture) =>
  `${MEDIA_PATH}/${kind}/${PLAIN_NAME.test(file) ? file : encodeURIComponent(file)}`

export const mediaTypes = pictureTypeNames.map((name) => pictureTypes[name].mime)

const text = Type.String()

/** A drawing that every service has. */
const EXAMPLE_ITEM = {
  id: '~hello',
  kind: 'cat',
  type: 'image/webp',
  width: 512,
  height: 512,
  size: 10_052,
  color: '#ffbbcc',
  alt: 'A long-haired calico cat with brown patches, beaming and stretching in front of bright rays',
  tags: ['cat', 'rays', 'abstract', 'smiling', 'stretching', 'action', 'brown', 'longhair'],
  author: 'Menagerie',
  license: 'CC0-1.0',
  source: null,
}
export const EXAMPLE_PICTURE = { message: `${EXAMPLE_BASE}${MEDIA_PATH}/cat/~hello.webp`, item: EXAMPLE_ITEM }

export const PictureItem = Type.Object(
  {
    id: Text('The first 12 digits of the SHA-256 of a file, or `~` and the seed of a drawing, as in its URL.'),
    kind: Text('Kind of animal, such as cat.'),
    type: Type.Enum(mediaTypes, { description: 'Media type.' }),
    width: Type.Integer({ minimum: 1 }),
    height: Type.Integer({ minimum: 1 }),
    size: Bytes,
    color: Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'Dominant colour.' }),
    alt: Text('Description of the picture.'),
    tags: Type.Array(text, { description: 'What the picture shows, such as `snow` or `top-hat`.' }),
    author: OrNull(text, 'Author of the picture.'),
    license: OrNull(text, 'Licence of the picture.'),
    source: OrNull(text, 'Origin of the picture.'),
  },
  { component: 'PictureItem', examples: [EXAMPLE_ITEM] },
)

/** Grey, if too many new pictures are requested at once to analyse this one. */
const readColor = ({ color }: Picture) => color ?? UNKNOWN_COLOR

/** An item whose fields are all known. */
export function buildItem(item: Picture) {
  const { id, kind, type, width, height, size } = item
  const { mime } = pictureTypes[type]
  return { id, kind, type: mime, width, height, size, color: readColor(item), ...item.credit() }
}

export type Item = Picture | TextItem

export const isList = (picked: Item | readonly Item[]): picked is readonly Item[] => Array.isArray(picked)

// JSON of random items as byte strings: each character is one byte of UTF-8. A reply that is composed of byte strings
// needs no encoding, and its length is known.

const toByteString = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('latin1')

/** Texts and credits live as long as their file is unchanged, so each is converted once. */
const textJson = new WeakMap<TextItem, { readonly message: string; readonly item: string }>()
const creditJson = new WeakMap<PictureCredit, string>()

function convertText(item: TextItem) {
  const { kind, text, video } = item
  const json = { message: toByteString(text), item: toByteString({ id: idOf(item), kind, title: video?.title }) }
  textJson.set(item, json)
  return json
}

function convertCredit(credit: PictureCredit) {
  const json = toByteString(credit).slice(1, -1)
  creditJson.set(credit, json)
  return json
}

/** A text, the URL of a video, or the URL of a picture below `base`. */
export const getMessage = (item: Item, base: string) => ('text' in item ? item.text : base + buildPicturePath(item))

export const writeMessage = (item: Item, base: string) =>
  'text' in item ? (textJson.get(item) ?? convertText(item)).message : `"${base}${buildPicturePath(item)}"`

/** The `item` of a v2 reply. */
export function writeItem(item: Item): string {
  if ('text' in item) return (textJson.get(item) ?? convertText(item)).item
  const { id, kind, type, width, height, size } = item
  const credit = item.credit()
  const fields = creditJson.get(credit) ?? convertCredit(credit)
  const { mime } = pictureTypes[type]
  const file = `"id":"${id}","kind":"${kind}","type":"${mime}","width":${width},"height":${height},"size":${size}`
  return `{${file},"color":"${readColor(item)}",${fields}}`
}
