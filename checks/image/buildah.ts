// buildah and runc, where no engine runs: they need root, but no daemon and no registry. The base image is a stand-in
// made of this machine's Node.js, npm and C library, under the name that the Dockerfile uses.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Container, type Engine, MACHINE, ROOT, run, runOrFail } from './engine.ts'

const BASE_IMAGE = /^FROM (node:\S+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? ''
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
/** What the Dockerfile, npm and build scripts call. */
const PROGRAMS = ['/bin/sh', '/bin/sed', '/bin/mkdir', '/usr/bin/env']
/** Parts of the C library, which native modules may load. */
const C_LIBRARIES = 'lib{dl,m,pthread,resolv,rt,util}.so.*'
const NODE_USER = 1000
const imageOf = (architecture: string) => `localhost/menagerie:${architecture}`

export async function openBuildah(): Promise<Engine | undefined> {
  const found = await Promise.all(['buildah', 'runc'].map((program) => run(program, ['--version'])))
  if (found.some(({ code }) => code !== 0) || process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-image-'))
  // A storage of its own, so that nothing of the machine's images is used or changed.
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const buildah = (...args: string[]) => runOrFail('buildah', [...storage, ...args])
  const base = join(folder, 'base')
  const mounts = new Map<string, string>()
  const mount = async (architecture: string) => {
    const path = mounts.get(architecture)
    if (path !== undefined) return path
    const id = (await buildah('from', '--pull-never', imageOf(architecture))).trim()
    const mounted = (await buildah('mount', id)).trim()
    mounts.set(architecture, mounted)
    return mounted
  }
  const inspect = async () => JSON.parse(await buildah('inspect', '--type', 'image', imageOf(MACHINE))).Docker
  const running: string[] = []

  return {
    name: 'buildah and runc',
    async build(architecture, buildArguments) {
      if (!existsSync(base)) await createBase(buildah, base)
      // Version 1.28 does not know BUILDPLATFORM, so the last stage has the base of this machine. All else is the same.
      const all = { ...buildArguments, TARGETARCH: architecture }
      const args = Object.entries(all).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
      // The format of Docker has health checks. Without a daemon, the network is that of the host.
      const options = ['--format=docker', '--isolation=chroot', '--network=host', '--pull-never', '--layers']
      await buildah('build', ...options, '--tag', imageOf(architecture), ...args, ROOT)
    },
    async readConfig() {
      const { config } = await inspect()
      return { user: config.User, labels: config.Labels, healthCommand: config.Healthcheck.Test.slice(1) }
    },
    listFolder: async (architecture, path) => readdirSync(join(await mount(architecture), path)),
    async start(): Promise<Container> {
      const root = await mount(MACHINE)
      const { config } = await inspect()
      const volume = join(folder, 'volume')
      if (!existsSync(volume)) {
        // An engine fills a new volume with the folder of the image, and its owner.
        cpSync(join(root, 'data'), volume, { recursive: true })
        const { uid, gid } = statSync(join(root, 'data'))
        chownSync(volume, uid, gid)
      }
      const id = `menagerie-check-${process.pid}-${running.length}`
      const bundle = join(folder, id)
      mkdirSync(bundle)
      writeFileSync(join(bundle, 'config.json'), JSON.stringify(createRuntimeConfig({ root, volume, config })))
      const service = spawn('runc', ['run', '--bundle', bundle, id], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      running.push(id)
      const exited = once(service, 'exit') as Promise<[number]>
      return {
        exec: (command) => run('runc', ['exec', id, ...command]),
        async stop(seconds) {
          await runOrFail('runc', ['kill', id, 'SIGTERM'])
          const timeout = AbortSignal.timeout(seconds * 1000)
          const late = once(timeout, 'abort').then(() => undefined)
          return await Promise.race([exited.then(([code]) => code), late])
        },
      }
    },
    async [Symbol.asyncDispose]() {
      for (const id of running) await run('runc', ['delete', '--force', id])
      // Unmounts them.
      await run('buildah', [...storage, 'rm', '--all'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Buildah = (...args: string[]) => Promise<string>

/** Adds a stand-in for the base image. */
async function createBase(buildah: Buildah, root: string): Promise<void> {
  for (const path of ['etc', 'tmp', 'home/node', 'root', 'proc', 'dev'])
    mkdirSync(join(root, path), { recursive: true })
  chownSync(join(root, 'home', 'node'), NODE_USER, NODE_USER)
  const user = `node:x:${NODE_USER}:${NODE_USER}::/home/node:/bin/sh`
  writeFileSync(join(root, 'etc', 'passwd'), `root:x:0:0::/root:/bin/sh\n${user}\n`)
  writeFileSync(join(root, 'etc', 'group'), `root:x:0:\nnode:x:${NODE_USER}:\n`)
  await copyPrograms(root)
  const settings = ['PATH=/usr/local/bin:/usr/bin:/bin']
  // Where this machine trusts a proxy of its own, so must npm in the image.
  if (process.env.NODE_EXTRA_CA_CERTS) {
    mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true })
    copyFileSync(process.env.NODE_EXTRA_CA_CERTS, join(root, CERTIFICATES))
    settings.push(`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`)
  }
  const id = (await buildah('from', 'scratch')).trim()
  await buildah('copy', '--quiet', id, root, '/')
  await buildah('config', ...settings.flatMap((setting) => ['--env', setting]), id)
  await buildah('commit', '--quiet', '--rm', id, `localhost/${BASE_IMAGE}`)
}

/** Copies Node.js, npm and a few programs, with the libraries that they load. */
async function copyPrograms(root: string): Promise<void> {
  for (const path of ['bin', 'lib', 'lib64', 'sbin']) {
    mkdirSync(join(root, 'usr', path), { recursive: true })
    symlinkSync(`usr/${path}`, join(root, path))
  }
  const npm = realpathSync(process.env.npm_execpath ?? join(dirname(process.execPath), 'npm'))
  cpSync(dirname(dirname(npm)), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'))
  for (const program of PROGRAMS) copyFileSync(program, join(root, program))
  for (const program of [process.execPath, ...PROGRAMS]) {
    const loaded = [...(await runOrFail('ldd', [program])).matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
    const folder = dirname(loaded.find((path) => path.includes('/libc.so')) ?? '')
    for (const library of [...loaded, ...globSync(join(folder, C_LIBRARIES))]) {
      mkdirSync(join(root, dirname(library)), { recursive: true })
      copyFileSync(library, join(root, library))
    }
  }
}

interface RuntimeOptions {
  readonly root: string
  readonly volume: string
  readonly config: { Env: string[]; Entrypoint: string[]; Cmd: string[]; WorkingDir: string }
}

/** The same rights as `docker run --read-only --cap-drop=ALL --security-opt=no-new-privileges --network=none`. */
function createRuntimeConfig({ root, volume, config }: RuntimeOptions) {
  return {
    ociVersion: '1.0.2',
    root: { path: root, readonly: true },
    hostname: 'menagerie',
    process: {
      user: { uid: NODE_USER, gid: NODE_USER },
      args: [...config.Entrypoint, ...config.Cmd],
      env: config.Env,
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'noexec', 'mode=1777'] },
      { destination: '/data', type: 'bind', source: volume, options: ['bind', 'rw'] },
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys'],
      readonlyPaths: ['/proc/sys'],
    },
  }
}
