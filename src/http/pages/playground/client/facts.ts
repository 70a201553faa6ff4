import { inMilliseconds } from '../../shared/client/ask.ts'
import { inBytes } from '../../shared/client/bytes.ts'
import { element, one } from '../../shared/client/dom.ts'

const HOW: Record<string, string> = {
  hit: 'hit: it was made before',
  miss: 'miss: made just now',
  shared: 'shared: made together with another request',
}

/** `fetch;dur=12.3, decode;dur=4.5` as pairs. */
const stagesOf = (header: string) =>
  [...header.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, stage = '', ms = '0']) => [stage, Number(ms)] as const)

/** What the headers of the reply tell, for people. */
export function showFacts(response: Response, bytes: number, ms: number): void {
  const header = (name: string) => response.headers.get(name) ?? ''
  const stages = stagesOf(header('server-timing')).filter(([, dur]) => dur > 0)
  const rows: [string, string | Node][] = [
    ['Time', `${inMilliseconds(ms)} in all`],
    ['On the server', stages.length > 0 ? stageList(stages) : 'nothing was left to do'],
    ['X-Cache', HOW[header('x-cache')] ?? header('x-cache')],
    ['Cache-Control', header('cache-control')],
    ['Picture', `${header('content-type')}, ${inBytes(bytes)}`],
  ]
  one('[data-facts]').replaceChildren(
    ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )
}

export const clearFacts = () => one('[data-facts]').replaceChildren()

function stageList(stages: readonly (readonly [string, number])[]): Node {
  const total = stages.reduce((sum, [, ms]) => sum + ms, 0)
  return element(
    'span',
    { className: 'stages' },
    ...stages.map(([stage, ms]) => {
      const bar = element('span', {}, `${stage} ${inMilliseconds(ms)}`)
      bar.style.setProperty('--share', `${Math.round((ms / total) * 100)}%`)
      return bar
    }),
  )
}
