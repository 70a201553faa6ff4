import { CommandError, defineCommand } from '../command.ts'
import { ownUrl } from '../own-url.ts'

/** A service that takes longer is not well. */
const PATIENCE_MS = 4000

export const health = defineCommand({
  name: 'health',
  summary: 'Asks the running service whether it is ready; for container and service managers.',
  settings: ['HOST', 'PORT'],
  examples: ['health', 'health --port 8080 --json'],
  run: async ({ config: { HOST, PORT } }) => {
    const url = `${ownUrl(HOST, PORT)}/readyz`
    const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined)
    if (!reply) throw new CommandError(`Nothing answers on ${url}; is the service running, with this HOST and PORT?`)
    const { state = 'not ready', problems = [] } = (await reply.json().catch(() => ({}))) as Readiness
    const lines = problems.map(({ part, message }) => `  ${part}: ${message}`)
    return { ok: reply.ok, text: [state, ...lines].join('\n'), value: { state, problems } }
  },
})

interface Readiness {
  readonly state?: string
  readonly problems?: readonly { readonly part: string; readonly message: string }[]
}
