import { announce, element, one } from '../../shared/client/dom.ts'
import { formatCount, formatMoment } from './format.ts'
import { createPart, untrusted } from './rows.ts'
import type { DashboardState } from './tiles.ts'
import type { Problem } from './types.ts'

const place = ({ file, line }: Problem) => (line === undefined ? file : `${file}, line ${line}`)

const item = (problem: Problem) =>
  element(
    'li',
    {},
    element('b', {}, problem.part),
    ' ',
    untrusted(problem.message),
    ...(problem.file ? [' ', element('code', {}, untrusted(place(problem) ?? ''))] : []),
    ...(problem.rule ? [' ', element('span', { className: 'aside' }, 'Rule: ', untrusted(problem.rule))] : []),
  )

export function createProblems() {
  const verdict = one('[data-verdict]')
  const part = createPart('problems')
  const since = one('[data-since]')
  let announced = ''

  return ({ overview, lostSince }: DashboardState) => {
    if (lostSince !== undefined) {
      verdict.textContent = `Lost contact since ${formatMoment(lostSince)}`
      since.textContent = 'The figures below are from that time.'
      part.root.dataset.severity = 'lost'
      return
    }
    if (!overview) return
    const { problems, advice, full, version } = overview
    const well = problems.length === 0
    const verdictText = well ? 'No problems' : formatCount(problems.length, 'problem', 'problems')
    verdict.textContent = verdictText
    if (announced !== verdictText) announce(verdictText)
    announced = verdictText
    since.textContent = `Version ${version.version}, uptime ${full}`
    part.root.dataset.severity = well ? 'ok' : 'warning'
    part.show({ problems, advice }, () => [
      ...(well ? [] : [element('ul', {}, ...problems.map(item))]),
      ...(advice.length > 0 ? [element('h3', {}, 'Advice'), element('ul', {}, ...advice.map(item))] : []),
    ])
  }
}
