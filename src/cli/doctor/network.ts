import type { Config } from '../../config/config.ts'
import { advice, type Check, type Finding, orOk, wrong } from './check.ts'

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)
const isEveryone = (cidr: string) => /\/0$/.test(cidr)

/** What is plausible about how callers reach the service; what to set is the operator's to know. */
export const networkCheck: Check = {
  name: 'network',
  look: ({ config }) => orOk(judgeNetwork(config), `Listens on ${config.HOST}; ${reachOf(config)}.`),
}

const reachOf = ({ PUBLIC_URL }: Config) =>
  PUBLIC_URL ? `the public knows it as ${PUBLIC_URL}` : 'only this machine reaches it'

export function judgeNetwork({ HOST, PUBLIC_URL, TRUST_PROXY, RATE_LIMIT }: Config): (Finding | false)[] {
  const isOpen = !isLoopback(HOST)
  const isPublic = isOpen || PUBLIC_URL !== ''
  return [
    TRUST_PROXY.some(isEveryone) &&
      wrong(
        'TRUST_PROXY believes everyone: any caller can claim any address, and limits and bans are void.',
        'TRUST_PROXY=<address of the proxy>',
      ),
    // The service itself speaks no TLS: whoever asks for https comes through a proxy.
    PUBLIC_URL.startsWith('https:') &&
      TRUST_PROXY.length === 0 &&
      wrong(
        'PUBLIC_URL is https, so a proxy is in between, but TRUST_PROXY is empty: all callers look like one, and share its limits and bans.',
        `TRUST_PROXY=${isOpen ? '<address of the proxy>' : 'loopback'}`,
      ),
    isOpen &&
      PUBLIC_URL === '' &&
      TRUST_PROXY.length === 0 &&
      advice(
        `HOST ${HOST} is open to the network, without TLS and under whatever name a caller uses.`,
        'put a proxy with TLS before it: HOST=127.0.0.1, PUBLIC_URL=https://<your name>, TRUST_PROXY=loopback',
      ),
    isPublic && RATE_LIMIT === 'off' && advice('RATE_LIMIT is off: one caller can take all there is.', 'RATE_LIMIT=on'),
  ]
}

export const applicationCheck: Check = {
  name: 'application',
  look: ({ config: { APP_NAME } }) =>
    orOk(
      [
        APP_NAME === 'app' &&
          advice(
            'The paths of v5 have the name "app"; launchers will know them by heart, so choose your own before.',
            'APP_NAME=<your application>',
          ),
      ],
      `The paths of v5 begin with /api/v5/${APP_NAME}.`,
    ),
}
