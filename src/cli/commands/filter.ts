import { existsSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, extname } from 'node:path'
import { styleText } from 'node:util'
import type { Config } from '../../config/config.ts'
import { CommandError, defineCommand, UsageError } from '../command.ts'
import { silent, withFetcher } from '../open.ts'
import { count } from '../text.ts'

export const filter = defineCommand({
  name: 'filter',
  summary: 'Filters a picture as the service does, and writes the result to a file.',
  settings: [
    ...(['FILTER_ALLOW_HOSTS', 'FILTER_PORTS', 'FILTER_MAX_BYTES', 'FILTER_MAX_PIXELS', 'FILTER_TIMEOUT_MS'] as const),
    ...(['DATA_DIR', 'CONTENT_DIR'] as const),
  ],
  arguments: [
    {
      name: 'filter',
      choices: ['blur', 'greyscale', 'contrast', 'invert', 'dither565', 'normalize'],
      help: 'The filter.',
    },
    { name: 'image', help: 'A file, or the URL of a picture on the public internet.', completes: 'files' },
  ],
  options: {
    strength: { type: 'string', value: 'number', help: 'How strong; blur 1 to 256 (5), contrast -1 to 1 (0.1).' },
    output: {
      type: 'string',
      value: 'format',
      choices: ['jpeg', 'png', 'webp', 'avif', 'gif'],
      help: 'The format; that of the picture where nothing is said.',
    },
    out: {
      type: 'string',
      short: 'o',
      value: 'file',
      completes: 'files',
      help: 'Where to write it; <name>-<filter>.<format> in this folder where nothing is said.',
    },
    force: { type: 'boolean', help: 'Also over a file that is there.' },
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
      import('../../app/services.ts'),
    ])
    const found = findFilter(args.filter)!
    if (strength !== undefined && !found.strength) throw new UsageError(`${found.name} takes no --strength.`)
    const wanted = asUse(() => parseStrength(found, strength))
    demandFree(out, force)
    const bytes = await bytesOf(args.image, config)
    const engine = createEngine({
      ...{ threads: availableParallelism(), maxPixels: config.FILTER_MAX_PIXELS, maxFrames: MAX_FRAMES },
      ...{ decodeTimeoutMs: config.FILTER_TIMEOUT_MS, maxQueued: 1, log: silent },
    })
    try {
      const {
        bytes: result,
        type,
        ...facts
      } = await engine.process({ bytes, filter: found.name, strength: wanted, output })
      const file = out ?? nameOf(args.image, found.name, type)
      demandFree(file, force)
      await writeAtomically(file, result)
      const pages = facts.pages > 1 ? `, ${count(facts.pages, 'frame')}` : ''
      const told = ` (${type}, ${facts.width} x ${facts.height}${pages}, ${count(result.length, 'byte')}).`
      return { text: styleText('green', `Wrote ${file}`) + told, value: { file, type, size: result.length, ...facts } }
    } finally {
      await engine.close()
    }
  },
})

/** The rule is the API's; here it is about a word that was typed. */
function asUse<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** A mistyped folder is not made: nobody would look for the picture there. */
function demandFree(file: string | undefined, force: boolean): void {
  if (file === undefined) return
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`There is no folder ${folder}; make it first, or name another file with --out.`)
  }
  if (!force && existsSync(file)) {
    throw new CommandError(`${file} is there already; name another with --out, or use --force.`)
  }
}

async function bytesOf(image: string, config: Config): Promise<Uint8Array> {
  if (/^https?:\/\//.test(image)) return withFetcher(config, async (get) => (await get(image)).body)
  const file = await stat(image)
  if (!file.isFile()) throw new CommandError(`${image} is not a file.`)
  if (file.size > config.FILTER_MAX_BYTES) {
    throw new CommandError(`${image} has ${file.size} bytes, and FILTER_MAX_BYTES is ${config.FILTER_MAX_BYTES}.`)
  }
  return readFile(image)
}

function nameOf(image: string, filter: string, type: string): string {
  const path = URL.parse(image)?.pathname ?? image
  const name = basename(path, extname(path)) || 'picture'
  return `${name}-${filter}.${type.replace('image/', '').replace('jpeg', 'jpg')}`
}
