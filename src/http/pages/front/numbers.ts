import type { Category, KindSummary } from '../../../features/content/index.ts'
import type { Uptime } from '../../../features/developer/index.ts'
import { type Html, html } from '../shared/html.ts'

interface Facts {
  readonly catalogue: Record<Category, KindSummary[]>
  readonly uptime: Uptime
  readonly version: string
}

const number = (value: number) => value.toLocaleString('en')

/** What the service is made of at this moment. */
export function numbers({ catalogue, uptime, version }: Facts): Html {
  const kinds = Object.values(catalogue).flat()
  const items = kinds.reduce((sum, { count }) => sum + count, 0)
  const drawn = kinds.filter((kind) => kind.drawn).length
  return html`
<dl class="numbers">
<div><dt>kinds</dt><dd>${number(kinds.length)}</dd></div>
<div><dt>items</dt><dd>${number(items)}</dd></div>
${drawn > 0 && html`<div><dt>kinds drawn anew</dt><dd>${number(drawn)} <span aria-hidden="true">∞</span><span class="unseen">without end</span></dd></div>`}
<div><dt>uptime</dt><dd data-uptime="${uptime.uptime}">${uptime.time}</dd></div>
<div><dt>version</dt><dd>${version}</dd></div>
</dl>`
}
