// JSON of random items as byte strings: each character is one byte of UTF-8. A reply that is composed of byte strings
// needs no encoding, and its length is known.
import {
  idOf,
  type PictureCredit,
  type PictureItem,
  pictureTypes,
  type TextItem,
} from '../../../features/content/index.ts'
import { buildPicturePath, readColor } from '../picture-item.ts'

export type Item = PictureItem | TextItem

export const isList = (picked: Item | readonly Item[]): picked is readonly Item[] => Array.isArray(picked)

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
