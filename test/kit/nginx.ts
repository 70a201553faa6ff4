import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { succeeds } from '../../src/platform/concurrency/index.ts'
import { nginx } from './external-programs.ts'
import { temporaryFolder } from './folder.ts'
import { freePort } from './redis.ts'
import { ROOT } from './root.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

export const needsNginx: { skip: string | false } = { skip: nginx ? false : 'no nginx on the PATH' }

/** Starts nginx with ops/nginx.conf in front of a service, with the cache that most guides show. Returns its URL. */
export async function startNginx(t: Scope, serviceUrl: string): Promise<string> {
  const folder = await temporaryFolder(t)
  const port = await freePort()
  const { host } = new URL(serviceUrl)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/t;`)
  const text = (await readFile(join(ROOT, 'ops/nginx.conf'), 'utf8'))
    .replace(/server 10\.0\.0\.11:4010/, `server ${host}`)
    .replace(/server 10\.0\.0\.12:4010.*/, '')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('http {', `http {\n${temporary.join('\n')}\naccess_log off;\nproxy_cache_path ${folder}/c keys_zone=c:1m;`)
    .replace('proxy_pass', 'proxy_cache c;\nadd_header X-Nginx-Cache $upstream_cache_status always;\nproxy_pass')
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  const file = join(folder, 'nginx.conf')
  await writeFile(file, `${user}pid ${folder}/pid;\nerror_log stderr;\ndaemon off;\n${text}`)
  await mkdir(join(folder, 't'))
  const child = spawn(nginx ?? '', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(errors)
    return succeeds(fetch(`${url}/healthz`))
  })
  return url
}
