import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../config/root.ts'
import { type Check, type Finding, ok, wrong } from './check.ts'

// No check of fonts: the artist draws shapes only, and no page or sheet has text that this machine must draw.
export const partsCheck: Check = {
  name: 'parts',
  look: async ({ command }) => [await judgeSharp(), await judgeKernels(command), judgeSite(command)],
}

async function judgeSharp(): Promise<Finding> {
  try {
    const { default: sharp } = await import('sharp')
    await sharp({ create: { width: 1, height: 1, channels: 3, background: '#000' } })
      .webp()
      .toBuffer()
    return ok(`sharp ${sharp.versions.sharp} with libvips ${sharp.versions.vips} writes pictures.`)
  } catch {
    return wrong('sharp, which reads and writes pictures, does not work on this machine.', `npm ci, in ${ROOT}`)
  }
}

const rebuild = (command: (words: string) => string) => command('--script scripts/build.ts')

async function judgeKernels(command: (words: string) => string): Promise<Finding> {
  try {
    const { loadKernels } = await import('../../features/filters/index.ts')
    loadKernels()
    return ok('The kernels of the filters are built.')
  } catch {
    return wrong('The kernels of the filters are missing or broken: no filter works.', rebuild(command))
  }
}

function judgeSite(command: (words: string) => string): Finding {
  const missing = ['site.css', 'front.js', 'docs.js'].filter((name) => !existsSync(join(ROOT, 'build', 'site', name)))
  if (missing.length === 0) return ok('The pages for people are built.')
  return wrong(`The pages for people are not built: ${missing.join(', ')} missing.`, rebuild(command))
}
