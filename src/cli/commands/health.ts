import { isIPv6 } from 'node:net'
import { defineCommand, Refusal } from '../command.ts'

/** A service that takes longer is not well. */
const PATIENCE_MS = 4000
/** Listening everywhere includes the machine's own address. */
const OWN_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const health = defineCommand({
  name: 'health',
  summary: 'Asks the running service whether it is ready; for container and service managers.',
  settings: ['HOST', 'PORT'],
  examples: ['health', 'health --port 8080 --json'],
  run: async ({ config: { HOST, PORT } }) => {
    const host = OWN_ADDRESS[HOST] ?? HOST
    const url = `http://${isIPv6(host) ? `[${host}]` : host}:${PORT}/readyz`
    const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined)
    if (!reply) throw new Refusal(`Nothing answers on ${url}; is the service running, with this HOST and PORT?`)
    const { state = 'not ready', problems = [] } = (await reply.json().catch(() => ({}))) as Readiness
    const lines = problems.map(({ part, message }) => `  ${part}: ${message}`)
    return { ok: reply.ok, text: [state, ...lines].join('\n'), value: { state, problems } }
  },
})

interface Readiness {
  readonly state?: string
  readonly problems?: readonly { readonly part: string; readonly message: string }[]
}
