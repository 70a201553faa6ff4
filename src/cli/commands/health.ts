import { OperatorError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { fetchReadiness, formatProblem } from '../readiness.ts'
import { localUrl, printable } from '../text.ts'

const TIMEOUT_MS = 4000

export const health = defineCommand({
  name: 'health',
  actsOn: 'machine',
  summary:
    'Checks whether the service on HOST and PORT is ready, for container and service managers. Exit code 0 also if it ' +
    'is degraded.',
  settings: ['HOST', 'PORT'],
  examples: ['health', 'health --port 8080 --json'],
  run: async ({ config: { HOST, PORT } }) => {
    if (PORT === 0) throw new OperatorError('PORT is 0. Set PORT to the port of the running service.')
    const url = localUrl(HOST, PORT)
    const readiness = await fetchReadiness(url, AbortSignal.timeout(TIMEOUT_MS))
    if (!readiness) throw new OperatorError(`No service replies at ${url}. Does it run with this HOST and PORT?`)
    const { state, problems } = readiness
    const lines = problems.map((problem) => `  ${printable(formatProblem(problem))}`)
    return { ok: state !== 'not ready', text: [state, ...lines].join('\n'), value: { state, problems } }
  },
})
