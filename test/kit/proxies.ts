// The shipped configurations of reverse proxies, in the real programs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { succeeds } from '../../src/platform/concurrency/index.ts'
import { caddy, nginx } from './external-programs.ts'
import { temporaryFolder } from './folder.ts'
import { freePort } from './redis.ts'
import { ROOT } from './root.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

export const needsNginx: { skip: string | false } = { skip: nginx ? false : 'no nginx on the PATH' }

export interface Proxy {
  readonly url: string
  readonly pid: number
}

/** Starts a proxy, and resolves when it forwards requests to the service. */
async function startProxy(t: Scope, url: string, command: string[], env: Record<string, string> = {}): Promise<Proxy> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await exited
  })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(errors)
    return succeeds(fetch(`${url}/healthz`))
  })
  return { url, pid: child.pid ?? 0 }
}

/** Starts nginx with ops/nginx.conf, which `edit` may change. `url` is the address in it. */
export async function startNginx(t: Scope, url: string, edit = (config: string) => config): Promise<Proxy> {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 't'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/t;`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const globals = `${user} pid ${folder}/pid; error_log stderr; daemon off;`
  const config = (await readFile(join(ROOT, 'ops/nginx.conf'), 'utf8')).replace(
    'http {',
    `http {\n${temporary.join('\n')}\naccess_log off;`,
  )
  const file = join(folder, 'nginx.conf')
  await writeFile(file, edit(config))
  return await startProxy(t, url, [nginx ?? '', '-p', folder, '-c', file, '-g', globals])
}

/** Starts nginx in front of one service, with the cache that most guides show. Resolves to its URL. */
export async function startCachingNginx(t: Scope, serviceUrl: string): Promise<string> {
  const [port, folder] = [await freePort(), await temporaryFolder(t)]
  const edit = (config: string) =>
    config
      .replace(/server 10\.0\.0\.11:4010/, `server ${new URL(serviceUrl).host}`)
      .replace(/server 10\.0\.0\.12:4010.*/, '')
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('http {', `http {\nproxy_cache_path ${folder}/c keys_zone=c:1m;`)
      .replace('proxy_pass', 'proxy_cache c;\nadd_header X-Nginx-Cache $upstream_cache_status always;\nproxy_pass')
  return (await startNginx(t, `http://127.0.0.1:${port}`, edit)).url
}

/** Starts Caddy with ops/Caddyfile. `url` is the address in `SITE`. */
export async function startCaddy(t: Scope, url: string, settings: Record<string, string>): Promise<Proxy> {
  const folder = await temporaryFolder(t)
  const command = [caddy ?? '', 'run', '--adapter', 'caddyfile', '--config', join(ROOT, 'ops/Caddyfile')]
  return await startProxy(t, url, command, {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    ...settings,
  })
}
