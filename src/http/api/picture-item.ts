// A picture in replies: its URL and its description.
import Type from 'typebox'
import {
  type PictureItem as Picture,
  pictureTypeNames,
  pictureTypes,
  UNKNOWN_COLOR,
} from '../../features/content/index.ts'
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
    id: Text('Of a file: the first 12 digits of its SHA-256. Of a drawing: `~` and the seed, as in its URL.'),
    kind: Text('Kind of animal, such as cat.'),
    type: Type.Enum(mediaTypes, { description: 'Media type.' }),
    width: Type.Integer({ minimum: 1 }),
    height: Type.Integer({ minimum: 1 }),
    size: Bytes,
    color: Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'Dominant colour.' }),
    alt: Text('Description of the picture.'),
    tags: Type.Array(text, { description: 'What the picture shows, in single words.' }),
    author: OrNull(text, 'Author of the picture.'),
    license: OrNull(text, 'Licence of the picture.'),
    source: OrNull(text, 'Origin of the picture.'),
  },
  { component: 'PictureItem', examples: [EXAMPLE_ITEM] },
)

/** Grey, if so many new pictures are requested at once that there is no time to analyse this one. */
export const readColor = ({ color }: Picture) => color ?? UNKNOWN_COLOR

/** An item whose fields are all known. */
export function buildItem(item: Picture) {
  const { id, kind, type, width, height, size } = item
  const { mime } = pictureTypes[type]
  return { id, kind, type: mime, width, height, size, color: readColor(item), ...item.credit() }
}
