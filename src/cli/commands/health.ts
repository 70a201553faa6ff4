import { OperatorError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { localUrl } from '../text.ts'

const TIMEOUT_MS = 4000

export const health = defineCommand({
  name: 'health',
  summary: 'Checks whether the running service is ready. For container and service managers.',
  settings: ['HOST', 'PORT'],
  examples: ['health', 'health --port 8080 --json'],
  run: async ({ config: { HOST, PORT } }) => {
    const url = `${localUrl(HOST, PORT)}/readyz`
    const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined)
    if (!reply) throw new OperatorError(`${url} does not reply. Is the service running with this HOST and PORT?`)
    const { state = 'not ready', problems = [] } = (await reply.json().catch(() => ({}))) as Readiness
    const lines = problems.map(({ part, message }) => `  ${part}: ${message}`)
    return { ok: reply.ok, text: [state, ...lines].join('\n'), value: { state, problems } }
  },
})

interface Readiness {
  readonly state?: string
  readonly problems?: readonly { readonly part: string; readonly message: string }[]
}
