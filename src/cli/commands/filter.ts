import { existsSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { OperatorError, UsageError } from '../../errors/index.ts'
// The only feature that is imported here: its list is small, and the help shows it.
import { filters, findFilter, parseSteps, parseStrength, strengthRanges } from '../../features/filters/index.ts'
import { defineCommand } from '../command.ts'
import { formatCount, paint } from '../text.ts'
import { silentLog, withClosing, withFetcher } from '../with-services.ts'

export const filter = defineCommand({
  name: 'filter',
  actsOn: 'machine',
  summary: 'Applies a filter to an image and writes a file. The limits of the service apply.',
  settings: [
    'FILTER_ALLOW_HOSTS',
    'FILTER_PORTS',
    'FILTER_MAX_BYTES',
    'FILTER_MAX_PIXELS',
    'MEMORY_LIMIT',
    'FILTER_TIMEOUT_MS',
    'DATA_DIR',
    'CONTENT_DIR',
  ],
  arguments: [
    {
      name: 'filter',
      choices: [...filters.map(({ name }) => name), 'chain'],
      help: 'The filter, or "chain" for those of --steps.',
    },
    { name: 'image', help: 'A file, or the URL of an image on the public internet.', completes: 'files' },
  ],
  options: {
    strength: { value: 'number', help: `Strength of the filter: ${strengthRanges}.` },
    steps: { value: 'filters', help: 'Filters of a chain with their strengths, such as greyscale,blur:5.' },
    width: { value: 'pixels', help: 'Width. The image is resized before it is filtered, and never enlarged.' },
    height: { value: 'pixels', help: 'Height. If only one side is given, the other follows from the proportions.' },
    fit: {
      value: 'fit',
      choices: ['inside', 'cover', 'contain'],
      help: 'How to fit into width and height: "inside", "cover" (crops) or "contain" (pads). Default: inside.',
    },
    'max-bytes': {
      value: 'bytes',
      help: 'Reduces quality, then width and height, until the result has at most this many bytes.',
    },
    'image-format': {
      value: 'format',
      choices: ['jpeg', 'png', 'webp', 'avif', 'gif'],
      help: 'Format of the result. Default: the format of the image, but PNG for TIFF. Only GIF and WebP keep all frames.',
    },
    out: {
      short: 'o',
      value: 'file',
      completes: 'files',
      help: 'Output file. Default: <name>-<filter>.<format> in the current folder.',
    },
    force: { help: 'Overwrites an existing file.' },
  },
  examples: [
    'filter blur cat.jpg --strength 12',
    'filter greyscale https://example.org/cat.png --image-format webp -o grey.webp',
    'filter chain cat.jpg --steps greyscale,blur:5 --width 300',
  ],
  run: async ({ config, args, options }) => {
    const { strength, steps: stepsText = '', fit = 'inside', 'image-format': output, out, force } = options
    const [{ createEngine, MAX_REQUESTED_SIDE, planMemory }, { writeAtomically }, { MAX_FRAMES }] = await Promise.all([
      import('../../features/images/index.ts'),
      import('../../platform/files/index.ts'),
      import('../../app/open-services.ts'),
    ])
    const found = findFilter(args.filter)
    if (strength !== undefined && !found?.strength) throw new UsageError(`${args.filter} takes no --strength.`)
    if (stepsText !== '' && found) throw new UsageError(`${args.filter} takes no --steps. Use "chain".`)
    const steps = asUsageError(() =>
      found ? [{ filter: found.name, strength: parseStrength(found, strength) }] : parseSteps(stepsText),
    )
    const width = parseCount('width', options.width, MAX_REQUESTED_SIDE)
    const height = parseCount('height', options.height, MAX_REQUESTED_SIDE)
    const maxBytes = parseCount('max-bytes', options['max-bytes'], Number.MAX_SAFE_INTEGER)
    assertWritable(out, force)
    const bytes = await readImage(args.image, config)
    const engine = createEngine({
      ...planMemory(config).engine,
      maxPixels: config.FILTER_MAX_PIXELS,
      maxFrames: MAX_FRAMES,
      decodeTimeoutMs: config.FILTER_TIMEOUT_MS,
      maxQueued: 1,
      log: silentLog,
    })
    return withClosing(engine, async () => {
      const resize = width === undefined && height === undefined ? undefined : { width, height, fit }
      const job = { bytes, steps, resize, maxBytes, output }
      const { bytes: result, type, frameCount: pages, ...details } = await engine.process(job)
      const file = out ?? defaultFileName(args.image, args.filter, type)
      assertWritable(file, force)
      await writeAtomically(file, result)
      const frames = pages > 1 ? `, ${formatCount(pages, 'frame')}` : ''
      const description = ` (${type}, ${details.width} x ${details.height}${frames}, ${formatCount(result.length, 'byte')}).`
      return {
        text: paint('green', `Wrote ${file}`) + description,
        value: { file, type, size: result.length, pages, ...details },
      }
    })
  },
})

function parseCount(option: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max) throw new UsageError(`--${option} must be a whole number from 1 to ${max}.`)
  return count
}

/** Turns an error of the API into one of the command line. */
function asUsageError<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** A missing folder is an error, because it is probably misspelled. */
function assertWritable(file: string | undefined, force: boolean): void {
  if (file === undefined) return
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`The folder ${folder} does not exist. Create it, or use another --out.`)
  if (!force && existsSync(file))
    throw new OperatorError(`${file} already exists. Use another --out, or --force to overwrite it.`)
}

async function readImage(image: string, config: Config): Promise<Uint8Array> {
  if (/^https?:\/\//i.test(image)) return withFetcher(config, async (get) => (await get(image)).body)
  const file = await stat(image)
  if (!file.isFile()) throw new OperatorError(`${image} is not a file.`)
  if (file.size > config.FILTER_MAX_BYTES)
    throw new OperatorError(`${image} has ${file.size} bytes. FILTER_MAX_BYTES allows ${config.FILTER_MAX_BYTES}.`)
  return readFile(image)
}

function defaultFileName(image: string, filter: string, type: string): string {
  const path = URL.parse(image)?.pathname ?? image
  const name = basename(path, extname(path)) || 'image'
  return `${name}-${filter}.${type.replace('image/', '').replace('jpeg', 'jpg')}`
}
