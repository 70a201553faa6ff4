// Mutations of image files that a parser of their structure must survive. The same seed gives the same files.

/** Mulberry32: a small generator of random numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const MAX_MUTATIONS = 6
const MAX_REPEATS = 50
/** Lengths and counts that break careless arithmetic. */
const EXTREMES = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0xff_ff, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_fe, 0xff_ff_ff_ff]
/** Names and markers of parts, of all formats. */
const NAMES = [
  ...[
    'IHDR',
    'IDAT',
    'IEND',
    'iCCP',
    'eXIf',
    'VP8X',
    'ANMF',
    'ICCP',
    'EXIF',
    'meta',
    'iloc',
    'iprp',
    'ipco',
    'colr',
    'moov',
    'iinf',
    'infe',
    'iref',
    'dimg',
    'ipma',
    'irot',
    'idat',
  ],
  ...['\xff\xd8', '\xff\xd9', '\xff\xda', '\xff\xe1', '\xff\xe2\0\x10ICC_PROFILE\0\x01\x01', '\xff\xff', 'Exif\0\0'],
  ...['\x21\xf9\x04', '\x21\xff\x0bNETSCAPE2.0', '\x2c', '\x3b', 'II*\0', 'MM\0+', 'acsp', 'mpet'],
]

/** Returns a file with a few random changes. */
export function mutateImage(original: Buffer, random: () => number): Buffer {
  const pick = (below: number) => Math.floor(random() * below)
  const choose = <T>(values: readonly T[]) => values[pick(values.length)]!
  let bytes = Buffer.from(original)
  const splice = (from: number, to: number, ...parts: Buffer[]) => {
    bytes = Buffer.concat([bytes.subarray(0, from), ...parts, bytes.subarray(to)])
  }
  const writeNumber = () => {
    const [at, size] = [pick(bytes.length), choose([1, 2, 4])]
    if (at + size > bytes.length) return
    const value = choose([...EXTREMES, bytes.length, pick(bytes.length)]) % 2 ** (8 * size)
    if (random() < 0.5) bytes.writeUIntBE(value, at, size)
    else bytes.writeUIntLE(value, at, size)
  }
  const pickRange = () => {
    const from = pick(bytes.length)
    return [from, Math.min(bytes.length, from + pick(64))] as const
  }
  const mutations = [
    writeNumber,
    writeNumber,
    () => splice(pick(bytes.length), bytes.length),
    () => splice(...pickRange()),
    () => {
      const [from, to] = pickRange()
      splice(to, to, ...Array.from({ length: pick(MAX_REPEATS) }, () => bytes.subarray(from, to)))
    },
    () => {
      const at = pick(bytes.length)
      splice(at, at, Buffer.from(choose(NAMES), 'latin1'))
    },
    () => {
      const name = Buffer.from(choose(NAMES), 'latin1')
      name.copy(bytes, pick(bytes.length))
    },
    () => bytes.fill(pick(256), ...pickRange()),
  ]
  for (let left = 1 + pick(MAX_MUTATIONS); left > 0 && bytes.length > 0; left--) choose(mutations)()
  return bytes
}
