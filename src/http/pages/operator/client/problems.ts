import { announce, element, one } from '../../shared/client/dom.ts'
import { counted } from './format.ts'
import { createPart, outside } from './rows.ts'
import type { Overview, Problem } from './types.ts'

const place = ({ file, line }: Problem) => (line === undefined ? file : `${file}, line ${line}`)

const item = (problem: Problem) =>
  element(
    'li',
    {},
    element('b', {}, problem.part),
    ' ',
    outside(problem.message),
    ...(problem.file ? [' ', element('code', {}, outside(place(problem) ?? ''))] : []),
    ...(problem.rule ? [' ', element('span', { className: 'aside' }, 'Rule: ', outside(problem.rule))] : []),
  )

/** Is it well? And if not, what is wrong, with file and line. */
export function createProblems() {
  const verdict = one('[data-verdict]')
  const part = createPart('problems')
  return ({ problems, full, version }: Overview) => {
    const well = problems.length === 0
    const words = well ? 'All is well' : counted(problems.length, 'thing to look at', 'things to look at')
    if (verdict.textContent !== words) {
      verdict.textContent = words
      announce(words)
    }
    one('[data-since]').textContent = `Version ${version.version}, up for ${full}`
    part.root.dataset.state = well ? 'well' : 'look'
    part.show(problems, () => (well ? [] : [element('ul', {}, ...problems.map(item))]))
  }
}
