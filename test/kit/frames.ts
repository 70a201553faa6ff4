// Generated images, the same in every run.
import type { Frame } from '../../src/features/filters/index.ts'

export function randomBytes(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  }
}

const byte = (value: number) => Math.min(Math.max(Math.round(value), 0), 255)

/** An image with gradients, edges, texture and noise. With four channels, alpha varies too. */
export function createPhotograph(width: number, height: number, channels: 3 | 4 = 3, seed = 1): Frame {
  const data = new Uint8Array(width * height * channels)
  const grain = randomBytes(seed)
  let at = 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const light = 128 + 55 * Math.sin(x / 37 + seed) * Math.cos(y / 29) + 30 * Math.sin((x + 2 * y) / 11)
      const object = (x - width / 2) ** 2 + (y - height / 2) ** 2 < (Math.min(width, height) / 3) ** 2 ? 45 : -20
      const noise = grain() / 16 - 8
      data[at++] = byte(light + object + noise)
      data[at++] = byte(0.8 * light - object + noise + 30)
      data[at++] = byte(220 - light + noise)
      if (channels === 4) data[at++] = byte(140 + 150 * Math.sin(x / 17) * Math.sin(y / 13))
    }
  }
  return { data, width, height, channels }
}

export function createFlatFrame(width: number, height: number, colour: number[]): Frame {
  const data = new Uint8Array(width * height * colour.length)
  for (let at = 0; at < data.length; at++) data[at] = colour[at % colour.length]!
  return { data, width, height, channels: colour.length as 3 | 4 }
}

export const copyFrame = (frame: Frame): Frame => ({ ...frame, data: frame.data.slice() })

/** Sizes that show errors at edges and in rows with a remainder. */
export const sizes: readonly [number, number][] = [
  [1, 1],
  [1, 40],
  [37, 1],
  [2, 3],
  [5, 4],
  [16, 16],
  [17, 9],
  [203, 117],
]
