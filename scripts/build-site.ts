// Builds the scripts, stylesheets and guides of the pages: build/site/.
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { computeDigest } from '../src/http/pages/shared/assets.ts'
import { buildFont } from './build-font.ts'
import { readGuides } from './build-guides.ts'
import { bundlePackage } from './build-package.ts'
import { listPackageFolders } from './third-party.ts'

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Returns the folders of the packages that are in the files. */
export async function buildSite(root: string): Promise<string[]> {
  const target = join(root, 'build', 'site')
  await mkdir(target, { recursive: true })
  const writeCompressed = async (name: string, bytes: string | Buffer) => {
    await writeFile(join(target, name), bytes)
    // 9 instead of 11: the two highest levels take ten times as long and save only a few percent.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    await writeFile(join(target, `${name}.br`), await compressBrotli(bytes, { params }))
    await writeFile(join(target, `${name}.gz`), await compressGzip(bytes))
  }
  await writeCompressed('scalar.js', await readScalarBundle())
  const pages = join(root, 'src', 'http', 'pages')
  const { font, license } = await buildFont(root)
  // A font is compressed already.
  await writeFile(join(target, FONT), font)
  await writeCompressed('nunito-license.txt', license)
  const { outputFiles, metafile } = await bundlePages(pages, join(root, 'build', 'kernels.wasm'))
  for (const { path, text } of outputFiles) {
    const name = basename(path)
    // The stylesheet of the reference is in another folder of the site.
    const url = `${name === 'docs.css' ? '../site/' : ''}${FONT}?v=${computeDigest(font)}`
    await writeCompressed(name, text.replaceAll(FONT, url))
  }
  await writeFile(join(target, 'guides.json'), JSON.stringify(await readGuides(join(pages, 'guides', 'texts'))))
  await writeCompressed('client.js', Buffer.from(await bundlePackage('client', { minify: true })))
  await writeCompressed('element.js', Buffer.from(await bundlePackage('client', { minify: true, entry: 'element' })))
  await writeCompressed('artist.js', Buffer.from(await bundlePackage('artist', { minify: true })))
  const others = ['@scalar/fastify-api-reference', '@fontsource-variable/nunito'].map((name) => `node_modules/${name}`)
  return [...listPackageFolders(metafile), ...others]
}

const FONT = 'nunito.woff2'

/** One script per page. The dashboard has its own stylesheet, so that other pages need not load it. */
const ENTRIES = [
  { out: 'site', file: 'style.css' },
  { out: 'docs', file: 'docs/style.css' },
  { out: 'docs', file: 'docs/client.js' },
  { out: 'theme', file: 'shared/client/theme.ts' },
  { out: 'front', file: 'front/client.ts' },
  { out: 'playground', file: 'playground/client.ts' },
  { out: 'playground-worker', file: 'playground/client/worker.ts' },
  { out: 'share', file: 'share/client.ts' },
  { out: 'access', file: 'access/client.ts' },
  { out: 'guides', file: 'guides/client.ts' },
  { out: 'operator', file: 'operator/client.ts' },
  { out: 'operator', file: 'operator/style.css' },
]

function bundlePages(pages: string, kernelsFile: string) {
  return build({
    entryPoints: ENTRIES.map(({ out, file }) => ({ out, in: join(pages, file) })),
    bundle: true,
    external: ['*.woff2', '../media/*'],
    minify: true,
    format: 'iife',
    target: 'es2022',
    // In the script of the worker, which then needs no request.
    alias: { 'kernels.wasm': kernelsFile },
    loader: { '.wasm': 'binary' },
    outdir: 'site',
    write: false,
    metafile: true,
    logLevel: 'warning',
  })
}

interface PluginRoute {
  readonly url: string
  handler(request: unknown, reply: unknown): unknown
}

/**
 * Scalar's browser bundle. The npm package for Vue has 200 MB of dependencies. The plugin for Fastify has only the bundle
 * and serves it on a route, so the plugin is registered on a fake app, and the handler of that route is called.
 */
async function readScalarBundle(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const routes: PluginRoute[] = []
  const fakeApp = { route: (route: PluginRoute) => routes.push(route), log: console, hasPlugin: () => false }
  const register = plugin as unknown as (app: unknown, options: object, done: () => void) => void
  await new Promise<void>((done) =>
    register(fakeApp, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, done),
  )
  const script = routes.find(({ url }) => url.endsWith('.js'))
  if (!script) throw new Error('the Scalar plugin no longer serves its bundle on a route that ends in .js')
  const reply = { header: () => reply, send: (body: string) => body }
  return script.handler({}, reply) as string
}
