import { type Html, html, type Part } from '../shared/html.ts'

/** A table with a line of headings. Where it is too wide it scrolls by itself, also by keyboard. */
export const table = (headings: readonly string[], rows: readonly (readonly Part[])[]): Html => html`
<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
  (cells) => html`
<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
)}
</tbody>
</table></div>`

/** Paths and codes are long words; they may be broken after a slash or an underscore. */
export const code = (text: string): Html =>
  html`<code>${text.split(/(?<=[/_])/).map((word, nth) => (nth === 0 ? word : html`<wbr>${word}`))}</code>`

/** Words with commas between them. */
export const list = (parts: readonly Html[]): Part[] =>
  parts.flatMap((part, nth) => (nth === 0 ? [part] : [', ', part]))
