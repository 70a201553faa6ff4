import { styleText } from 'node:util'
import { ROOT } from '../../config/root.ts'
import { defineCommand } from '../command.ts'
import { placeOf } from '../content-problems.ts'
import type { Diagnosis } from '../doctor/index.ts'
import { programCall } from '../program-call.ts'
import { count, visible } from '../text.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary:
    'Looks at everything that the service needs, and tells what to do; the exit code is 1 where something is wrong.',
  acceptsInvalidSettings: true,
  examples: ['doctor', 'doctor --json'],
  run: async ({ config, settings, progress }) => {
    const { checks, countOf, examine } = await import('../doctor/index.ts')
    const call = programCall(ROOT, process.cwd())
    const command = (words: string) => `${call} ${words}`
    using bar = progress('Looking')
    const findings = await examine(checks, { config, settings, command }, bar.show)
    const counts = {
      ok: countOf(findings, 'ok'),
      advice: countOf(findings, 'advice'),
      wrong: countOf(findings, 'wrong'),
    }
    return { text: reportOf(findings), value: { counts, findings }, ok: counts.wrong === 0 }
  },
})

/** What is well first, then what to do, the worst first. */
function reportOf(findings: readonly Diagnosis[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const well = findings
    .filter(({ level }) => level === 'ok')
    .map(({ check, text }) => `${styleText('green', 'ok')}  ${check.padEnd(width)}  ${visible(text)}`)
  const wrong = findings.filter(({ level }) => level === 'wrong')
  const advised = findings.filter(({ level }) => level === 'advice')
  return [
    ...well,
    ...todo('red', 'Wrong', wrong),
    ...todo('yellow', 'Advice', advised),
    '',
    verdict(wrong, advised),
  ].join('\n')
}

function todo(colour: 'red' | 'yellow', title: string, findings: readonly Diagnosis[]): string[] {
  if (findings.length === 0) return []
  const entries = findings.map(({ check, file, line, rule, text, mend }, index) => {
    const place = file === undefined ? '' : `${placeOf({ file, line })} ${rule}: `
    const number = `${index + 1}.`.padStart(3)
    return `${number} ${check}: ${visible(place + text)}${mend === undefined ? '' : `\n      -> ${visible(mend)}`}`
  })
  return ['', styleText([colour, 'bold'], title), ...entries]
}

function verdict(wrong: readonly unknown[], advised: readonly unknown[]): string {
  if (wrong.length > 0) return styleText('red', `${count(wrong.length, 'thing is', 'things are')} wrong.`)
  const pieces = advised.length > 0 ? `, and ${count(advised.length, 'piece')} of advice` : ''
  return styleText('green', `Nothing is wrong${pieces}.`)
}
