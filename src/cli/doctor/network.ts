// Checks of the address of the service, the proxies before it and its port.
import type { Config } from '../../config/config.ts'
import { ROOT } from '../../config/root.ts'
import { fetchObject, fetchReadiness, formatProblem } from '../readiness.ts'
import { localUrl } from '../text.ts'
import { type CheckContext, error, type Finding, type Findings, ok, orOk, warning } from './check.ts'

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)
const isEveryAddress = (cidr: string) => /\/0$/.test(cidr)

export function checkNetwork({ HOST, PUBLIC_URL, TRUST_PROXY, RATE_LIMIT }: Config): Findings {
  const isOpen = !isLoopback(HOST)
  const isPublic = isOpen || PUBLIC_URL !== ''
  const reach = PUBLIC_URL ? `Its public URL is ${PUBLIC_URL}` : 'Only this machine can reach it'
  return orOk(
    [
      TRUST_PROXY.some(isEveryAddress) &&
        error(
          'TRUST_PROXY trusts every address. Clients can forge their address, so limits and bans have no effect.',
          'TRUST_PROXY=<address of the proxy>',
        ),
      // The service does not speak TLS, so https implies a proxy.
      PUBLIC_URL.startsWith('https:') &&
        TRUST_PROXY.length === 0 &&
        error(
          'PUBLIC_URL is https, so there is a proxy, but TRUST_PROXY is empty. All clients share one limit and one ban.',
          `TRUST_PROXY=${isOpen ? '<address of the proxy>' : 'loopback'}`,
        ),
      isOpen &&
        PUBLIC_URL === '' &&
        TRUST_PROXY.length === 0 &&
        warning(
          `HOST ${HOST} accepts connections from the network, without TLS and for any host name.`,
          'Use a proxy with TLS: HOST=127.0.0.1, PUBLIC_URL=https://<your domain>, TRUST_PROXY=loopback',
        ),
      isPublic &&
        RATE_LIMIT === 'off' &&
        warning('RATE_LIMIT is off. One client can use all resources.', 'RATE_LIMIT=on'),
    ],
    `Listens on ${HOST}. ${reach}.`,
  )
}

/** A running service reports webhooks that fail, and `checkListenPort` shows what it reports. */
export async function checkWebhooks({ config, formatCommand }: CheckContext): Promise<Finding> {
  const { parseWebhook } = await import('../../features/notifications/index.ts')
  const labels = config.NOTIFY_URLS.map((url, index) => parseWebhook(url, index).label)
  if (labels.length === 0) return ok('NOTIFY_URLS is empty: nobody is notified of problems.')
  return ok(`Problems are sent to ${labels.join(', ')}. Try it: ${formatCommand('notify test')}`)
}

export const checkAppName = ({ APP_NAME }: Config): Finding =>
  APP_NAME === 'app'
    ? warning(
        'APP_NAME is still "app". It is part of the v5 paths, and launchers cannot follow a later change.',
        'APP_NAME=<your product>',
      )
    : ok(`The v5 paths start with /api/v5/${APP_NAME}.`)

export async function checkListenPort({ config: { HOST, PORT }, signal }: CheckContext): Promise<Findings> {
  if (PORT === 0) return ok('PORT is 0: any free port is used.')
  const { checkPort, ListenError } = await import('../../http/kernel/connections.ts')
  try {
    await checkPort(HOST, PORT)
    return ok(`Port ${PORT} of ${HOST} is free.`)
  } catch (cause) {
    if (!(cause instanceof ListenError)) throw cause
    const { code } = cause.cause as NodeJS.ErrnoException
    return code === 'EADDRINUSE' ? checkListener(localUrl(HOST, PORT), PORT, signal) : error(cause.message)
  }
}

const REPLY_TIMEOUT_MS = 3000

async function checkListener(url: string, port: number, signal: AbortSignal): Promise<Findings> {
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)])
  const { version, node } = await fetchObject(`${url}/api/v1/version`, limited())
  if (typeof version !== 'string' || typeof node !== 'string') {
    return error(`Another program uses port ${port}.`, `PORT=${port + 1}, or stop the other program`)
  }
  const { readVersion } = await import('../../features/developer/index.ts')
  const own = (await readVersion(ROOT)).version
  return [
    checkReadiness(`Menagerie ${version} runs on ${url}`, await fetchReadiness(url, limited()), `curl ${url}/readyz`),
    version !== own &&
      warning(`The running service is version ${version}, but this program is ${own}.`, 'Restart the service'),
  ]
}

function checkReadiness(running: string, readiness: Awaited<ReturnType<typeof fetchReadiness>>, fix: string): Finding {
  const { state, problems = [] } = readiness ?? {}
  if (state === 'ok') return ok(`${running} and is ready.`)
  const reasons = problems.length > 0 ? ` (${problems.slice(0, 3).map(formatProblem).join('; ')})` : ''
  if (state === 'degraded') return warning(`${running}, but has problems${reasons}.`, fix)
  return error(`${running}, but is not ready${reasons}.`, fix)
}
