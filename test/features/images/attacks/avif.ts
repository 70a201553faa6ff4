import { deflateSync } from 'node:zlib'
import type { Attack } from './attack.ts'
import { box, claimLargeFrame, fullBox, repeat, size, still, u16 } from './avif-file.ts'

const alphaType = fullBox('auxC', 0, Buffer.from('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0'))
const rotation = box('irot', Buffer.from([1]))
const times = <T>(count: number, value: (nth: number) => T) => Array.from({ length: count }, (_, nth) => value(nth))

const grid = (rows: number, columns: number, side: number) =>
  Buffer.concat([Buffer.from([0, 0, rows - 1, columns - 1]), u16(side, side)])
/** All images at the same place. */
const overlay = (images: number, side: number) =>
  Buffer.concat([Buffer.from([0, 0]), u16(0, 0, 0, 0xff_ff), u16(side, side), Buffer.alloc(4 * images)])

/** Each item is derived from the next one, twice. The last is an image. */
const doubled = (levels: number, type: string, data: Buffer) =>
  still(64, ({ properties }, image) => ({
    items: [...times(levels, () => ({ type, data, properties: [2] })), image],
    properties,
    references: times(levels, (nth) => ['dimg', nth + 1, [nth + 2, nth + 2]]),
  }))

export const attacks: Attack[] = [
  {
    name: 'a small grid that names one large tile 250 times',
    status: 422,
    problem: 'uses the same tile too often',
    build: (side) =>
      still(side, ({ properties }, image) => ({
        items: [{ type: 'grid', data: grid(1, 250, 64), properties: [3] }, image],
        properties: [...properties, size(64, 64)],
        references: [['dimg', 1, times(250, () => 2)]],
      })),
  },
  {
    name: 'a grid whose tiles do not cover it',
    status: 422,
    build: (side) =>
      still(64, ({ properties }, image) => ({
        items: [{ type: 'grid', data: grid(1, 1, side), properties: [3] }, image],
        properties: [...properties, size(side, side)],
        references: [['dimg', 1, [2]]],
      })),
  },
  {
    name: 'overlays of two overlays, 60 levels',
    status: 422,
    problem: 'has images that are derived from derived images',
    build: () => doubled(60, 'iovl', overlay(2, 64)),
  },
  {
    name: 'grids of two grids, 60 levels',
    status: 422,
    problem: 'has images that are derived from derived images',
    build: () => doubled(60, 'grid', grid(1, 2, 64)),
  },
  {
    name: 'an overlay that shows one large image 400 times',
    status: 422,
    problem: 'uses the same tile too often',
    build: (side) =>
      still(side, ({ properties }, image) => ({
        items: [{ type: 'iovl', data: overlay(400, side), properties: [2] }, image],
        properties,
        references: [['dimg', 1, times(400, () => 2)]],
      })),
  },
  {
    name: 'a chain of 200 derived images',
    status: 422,
    problem: 'has too many tiles',
    build: (side) =>
      still(side, ({ properties }, image) => ({
        items: [...times(200, () => ({ type: 'iden', data: Buffer.alloc(0), properties: [2] })), image],
        properties,
        references: times(200, (nth) => ['dimg', nth + 1, [nth + 2]]),
      })),
  },
  {
    name: 'an image that is derived from itself',
    status: 422,
    problem: 'has images that are derived from derived images',
    build: () =>
      still(64, ({ properties }, image) => ({
        items: [{ type: 'grid', data: grid(1, 1, 64), properties: [2] }, image],
        properties,
        references: [['dimg', 1, [1]]],
      })),
  },
  {
    name: '250 rotations',
    status: 422,
    problem: 'repeats a transformation',
    build: (side) =>
      still(side, ({ properties }, image) => ({
        items: [{ ...image, properties: [1, 2, ...times(250, () => 3)] }],
        properties: [...properties, rotation],
      })),
  },
  {
    name: '15,000 properties',
    status: 422,
    build: () => still(64, ({ properties }) => ({ properties: [...properties, ...times(15_000, () => rotation)] })),
  },
  {
    name: '500,000 boxes after the image',
    status: 422,
    problem: 'has more than 64 boxes',
    build: () => still(64, () => ({ extraBoxes: repeat(box('free'), 500_000) })),
  },
  {
    name: '500,000 boxes within the description',
    status: 422,
    problem: 'has more than 64 boxes',
    build: () => still(64, () => ({ extraMeta: repeat(box('free'), 500_000) })),
  },
  {
    name: 'compressed metadata of 64 MB',
    status: 200,
    build: () => {
      const text = deflateSync(Buffer.alloc(2 ** 26))
      return still(64, ({ properties, data }, image) => ({
        items: [image, { type: 'mime', data: text, encoding: 'deflate' }],
        properties,
        data,
        references: [['cdsc', 2, [1]]],
      }))
    },
  },
  {
    name: 'a size of 8x8 for a large image',
    status: 422,
    build: (side) => still(side, ({ properties: [config] }) => ({ properties: [config!, size(8, 8)] })),
  },
  {
    name: 'a large size for an image of 64x64',
    status: 422,
    build: (side) => still(64, ({ properties: [config] }) => ({ properties: [config!, size(side, side)] })),
  },
  {
    name: 'a frame that claims 65,536x65,536 pixels',
    status: 422,
    build: () =>
      still(64, ({ data }, image) => {
        const large = claimLargeFrame(data)
        return { items: [{ ...image, data: { length: large.length } }], data: large }
      }),
  },
  {
    name: 'an item of 30 parts in the same place',
    status: 422,
    problem: 'uses the same data for too many items',
    build: (side) =>
      still(side, ({ data }, image) => ({ items: [{ ...image, data: { length: data.length, times: 30 } }] })),
  },
  {
    name: 'transparency with transparency, 200 levels',
    status: 422,
    problem: 'has too many tiles',
    build: (side) =>
      still(side, ({ properties }, image) => ({
        items: times(200, (nth) => (nth === 0 ? image : { ...image, properties: [1, 2, 3] })),
        properties: [...properties, alphaType],
        references: times(199, (nth) => ['auxl', nth + 2, [nth + 1]]),
      })),
  },
  {
    name: 'transparency of itself',
    status: 422,
    problem: 'has images that are derived from derived images',
    build: () =>
      still(64, ({ properties }, image) => ({
        items: [{ ...image, properties: [1, 2, 3] }],
        properties: [...properties, alphaType],
        references: [['auxl', 1, [1]]],
      })),
  },
  {
    name: 'two data boxes, the first with a repeated frame',
    status: 422,
    problem: 'has several boxes idat',
    build: (side) =>
      still(side, ({ data, properties }, image) => ({
        items: [{ ...image, data: repeat(data, 200) }],
        properties,
        extraMeta: box('idat', data),
      })),
  },
  {
    name: '1,000 nested boxes',
    status: 422,
    problem: 'has several boxes iprp',
    build: () =>
      still(64, () => ({
        extraMeta: times(1000, () => 0).reduce<Buffer>((inner) => box('iprp', inner), box('free')),
      })),
  },
]
