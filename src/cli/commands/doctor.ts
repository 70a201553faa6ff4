import { OperatorError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import type { CheckedFinding, Level } from '../doctor/index.ts'
import { fetchReadiness, formatProblem } from '../doctor/network.ts'
import { formatCommand } from '../help.ts'
import { formatCount, localUrl, paint, printable } from '../text.ts'
import { formatLocation } from '../with-services.ts'

const TIMEOUT_MS = 4000

export const health = defineCommand({
  name: 'health',
  actsOn: 'machine',
  summary:
    'Checks whether the service on HOST and PORT is ready. For container and service managers. Exit code 0 also if the ' +
    'service is degraded.',
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

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Checks the installation and says how to fix problems. Exit code 1 on errors.',
  acceptsInvalidSettings: true,
  examples: ['doctor', 'doctor --json'],
  run: async ({ config, settings, service, progress }) => {
    using bar = progress('Checking')
    const findings = await service.runDoctor({ config, settings, formatCommand }, bar.show)
    const withLevel = (expected: Level) => findings.filter(({ level }) => level === expected)
    const [passed, warnings, errors] = [withLevel('ok'), withLevel('warning'), withLevel('error')]
    const counts = { ok: passed.length, warning: warnings.length, error: errors.length }
    const width = Math.max(...passed.map(({ check }) => check.length))
    const text = [
      ...passed.map(({ check, text }) => `${paint('green', 'ok')}  ${check.padEnd(width)}  ${printable(text)}`),
      ...formatProblems('Errors', 'red', errors),
      ...formatProblems('Warnings', 'yellow', warnings),
      '',
      `${formatCount(errors.length, 'error')}, ${formatCount(warnings.length, 'warning')}.`,
    ]
    return { text: text.join('\n'), value: { counts, findings }, ok: errors.length === 0 }
  },
})

function formatProblems(title: string, colour: 'red' | 'yellow', findings: readonly CheckedFinding[]): string[] {
  if (findings.length === 0) return []
  const entries = findings.map(({ check, file, line, rule, text, fix }, index) => {
    const location = file === undefined ? '' : `${formatLocation({ file, line })} ${rule}: `
    const number = `${index + 1}.`.padStart(3)
    const problem = `${number} ${check}: ${printable(location + text)}`
    return fix === undefined ? problem : `${problem}\n      Fix: ${printable(fix)}`
  })
  return ['', paint([colour, 'bold'], title), ...entries]
}
