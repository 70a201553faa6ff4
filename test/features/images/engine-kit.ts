import sharp from 'sharp'
import { readConfig } from '../../../src/config/config.ts'
import type { Frame } from '../../../src/features/filters/index.ts'
import {
  createEngine,
  type Engine,
  type EngineOptions,
  type ImageJob,
  planMemory,
} from '../../../src/features/images/index.ts'
import type { Scope } from '../../kit/scope.ts'

export const silent = { error() {} }

/** Starts an engine with the defaults of the service. It is closed when the test or suite ends. */
export function startEngine(t: Scope, options: Partial<EngineOptions> = {}): Engine {
  const memory = planMemory(readConfig({ MEMORY_LIMIT: String(2 ** 33) })).engine
  const defaults = {
    ...memory,
    processes: 2,
    hasReserve: true,
    maxPixels: 40_000_000,
    maxFrames: 500,
    decodeTimeoutMs: 10_000,
    maxQueued: 50,
  }
  const engine = createEngine({ ...defaults, log: silent, ...options })
  t.after(() => engine.close())
  return engine
}

type JobOptions = Partial<ImageJob> & { strength?: number }

export const job = (bytes: Uint8Array, filter = 'invert', { strength, ...more }: JobOptions = {}): ImageJob => ({
  bytes,
  steps: [{ filter, strength }],
  resize: undefined,
  maxBytes: undefined,
  output: undefined,
  ...more,
})

/** The frame as input of sharp, to be written in any format. */
export const picture = ({ data, width, height, channels }: Frame) => sharp(data, { raw: { width, height, channels } })

export async function pixelsOf(bytes: Uint8Array, pages = 1): Promise<Frame> {
  const { data, info } = await sharp(bytes, { pages }).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels as 3 | 4 }
}
