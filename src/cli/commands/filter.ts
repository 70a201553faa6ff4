import { existsSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, extname } from 'node:path'
import { styleText } from 'node:util'
import type { Config } from '../../config/config.ts'
import { OperatorError, UsageError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { formatCount } from '../text.ts'
import { silentLog, withClosing, withFetcher } from '../with-services.ts'

export const filter = defineCommand({
  name: 'filter',
  summary: 'Applies an image filter with the limits of the service and writes the result to a file.',
  settings: [
    'FILTER_ALLOW_HOSTS',
    'FILTER_PORTS',
    'FILTER_MAX_BYTES',
    'FILTER_MAX_PIXELS',
    'FILTER_TIMEOUT_MS',
    'DATA_DIR',
    'CONTENT_DIR',
  ],
  arguments: [
    {
      name: 'filter',
      choices: ['blur', 'greyscale', 'contrast', 'invert', 'dither565', 'normalize'],
      help: 'The filter.',
    },
    { name: 'image', help: 'A file, or the URL of an image on the public internet.', completes: 'files' },
  ],
  options: {
    strength: { value: 'number', help: 'Strength. blur: 1 to 256, default 5. contrast: -1 to 1, default 0.1.' },
    output: {
      value: 'format',
      choices: ['jpeg', 'png', 'webp', 'avif', 'gif'],
      help: 'Output format. Default: the format of the image, or PNG for TIFF.',
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
    'filter greyscale https://example.org/cat.png --output webp -o grey.webp',
  ],
  run: async ({ config, args, options: { strength, output, out, force } }) => {
    const [{ findFilter, parseStrength }, { createEngine }, { writeAtomically }, { MAX_FRAMES }] = await Promise.all([
      import('../../features/filters/index.ts'),
      import('../../features/images/index.ts'),
      import('../../platform/files/index.ts'),
      import('../../app/open-services.ts'),
    ])
    const found = findFilter(args.filter)!
    if (strength !== undefined && !found.strength) throw new UsageError(`${found.name} takes no --strength.`)
    const parsedStrength = asUsageError(() => parseStrength(found, strength))
    assertWritable(out, force)
    const bytes = await readImage(args.image, config)
    const engine = createEngine({
      threads: availableParallelism(),
      maxPixels: config.FILTER_MAX_PIXELS,
      maxFrames: MAX_FRAMES,
      decodeTimeoutMs: config.FILTER_TIMEOUT_MS,
      maxQueued: 1,
      log: silentLog,
    })
    return withClosing(engine, async () => {
      const job = { bytes, filter: found.name, strength: parsedStrength, output }
      const { bytes: result, type, ...details } = await engine.process(job)
      const file = out ?? defaultFileName(args.image, found.name, type)
      assertWritable(file, force)
      await writeAtomically(file, result)
      const pages = details.pages > 1 ? `, ${formatCount(details.pages, 'frame')}` : ''
      const description = ` (${type}, ${details.width} x ${details.height}${pages}, ${formatCount(result.length, 'byte')}).`
      return {
        text: styleText('green', `Wrote ${file}`) + description,
        value: { file, type, size: result.length, ...details },
      }
    })
  },
})

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
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OperatorError(`The folder ${folder} does not exist. Create it, or use another --out.`)
  }
  if (!force && existsSync(file)) {
    throw new OperatorError(`${file} already exists. Use another --out, or --force to overwrite it.`)
  }
}

async function readImage(image: string, config: Config): Promise<Uint8Array> {
  if (/^https?:\/\//.test(image)) return withFetcher(config, async (get) => (await get(image)).body)
  const file = await stat(image)
  if (!file.isFile()) throw new OperatorError(`${image} is not a file.`)
  if (file.size > config.FILTER_MAX_BYTES) {
    throw new OperatorError(`${image} has ${file.size} bytes. FILTER_MAX_BYTES allows ${config.FILTER_MAX_BYTES}.`)
  }
  return readFile(image)
}

function defaultFileName(image: string, filter: string, type: string): string {
  const path = URL.parse(image)?.pathname ?? image
  const name = basename(path, extname(path)) || 'image'
  return `${name}-${filter}.${type.replace('image/', '').replace('jpeg', 'jpg')}`
}
