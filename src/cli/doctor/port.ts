import { once } from 'node:events'
import { createServer } from 'node:net'
import { ROOT } from '../../config/root.ts'
import { ownUrl } from '../own-url.ts'
import { advice, type Check, type Finding, ok, wrong } from './check.ts'

const ANSWER_MS = 3000

export const portCheck: Check = {
  name: 'port',
  async look({ config: { HOST, PORT }, signal }) {
    if (PORT === 0) return [ok('PORT is 0: any free one is taken.')]
    const code = await tryToListen(HOST, PORT)
    if (code === undefined) return [ok(`Port ${PORT} of ${HOST} is free.`)]
    if (code === 'EADDRINUSE') return judgeListener(ownUrl(HOST, PORT), PORT, signal)
    if (code === 'EACCES')
      return [wrong(`This user may not listen on port ${PORT}.`, 'PORT=4010, with a proxy before it')]
    return [wrong(`HOST ${HOST} is no address of this machine (${code}).`, 'HOST=127.0.0.1')]
  },
}

async function tryToListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** Another program may answer anything, or nothing. */
async function ask(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
    const body: unknown = await (await fetch(url, { signal: limited, redirect: 'manual' })).json()
    return body instanceof Object ? { ...body } : {}
  } catch {
    return {}
  }
}

async function judgeListener(url: string, port: number, signal: AbortSignal): Promise<Finding[]> {
  const [{ version, node }, ready] = [await ask(`${url}/api/v1/version`, signal), await ask(`${url}/readyz`, signal)]
  if (typeof version !== 'string' || typeof node !== 'string') {
    return [wrong(`Port ${port} is taken by another program.`, `PORT=${port + 1}, or stop the other program`)]
  }
  const { readVersion } = await import('../../features/developer/index.ts')
  const own = (await readVersion(ROOT)).version
  const running = `Menagerie ${version} answers on ${url}`
  return [
    ...judgeReadiness(running, ready, url),
    ...(version === own
      ? []
      : [advice(`The service that runs is ${version}, but this program is ${own}.`, 'restart the service')]),
  ]
}

function judgeReadiness(running: string, { state, problems }: Record<string, unknown>, url: string): Finding[] {
  if (state === 'ok') return [ok(`${running}, and is ready.`)]
  const parts = (Array.isArray(problems) ? problems : []).map(({ part, message }) => `${part}: ${message}`)
  const because = parts.length > 0 ? ` (${parts.slice(0, 3).join('; ')})` : ''
  if (state === 'degraded') return [advice(`${running}, but something is wrong${because}.`, `curl ${url}/readyz`)]
  return [wrong(`${running}, but is not ready${because}.`, `curl ${url}/readyz`)]
}
