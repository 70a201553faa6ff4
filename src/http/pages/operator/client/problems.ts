import { announce, element, one } from '../../shared/client/dom.ts'
import { formatCount } from './format.ts'
import { createPart, untrusted } from './rows.ts'
import type { Overview, Problem } from './types.ts'

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
  return ({ problems, full, version }: Overview) => {
    const well = problems.length === 0
    const verdictText = well ? 'No problems' : formatCount(problems.length, 'problem', 'problems')
    if (verdict.textContent !== verdictText) {
      verdict.textContent = verdictText
      announce(verdictText)
    }
    one('[data-since]').textContent = `Version ${version.version}, uptime ${full}`
    part.root.dataset.severity = well ? 'ok' : 'warning'
    part.show(problems, () => (well ? [] : [element('ul', {}, ...problems.map(item))]))
  }
}
