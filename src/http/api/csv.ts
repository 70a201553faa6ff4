import { type Reply, type ReplyOptions, text } from '../kernel/replies.ts'

export const CSV = 'text/csv'

type Row = readonly (string | number)[]

/** A CSV file (RFC 4180) that browsers save under this name. */
export const csv = (name: string, rows: readonly Row[], { headers = [], ...options }: ReplyOptions): Reply =>
  text(rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join(''), `${CSV}; charset=utf-8`, {
    ...options,
    headers: [...headers, 'Content-Disposition', `attachment; filename="${name}"`],
  })

/** An apostrophe keeps a spreadsheet from running a text as a formula. */
function formatCell(value: string | number): string {
  const cell = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
