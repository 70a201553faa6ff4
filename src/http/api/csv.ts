import { type Reply, type ReplyOptions, text } from '../kernel/replies.ts'

export const CSV = 'text/csv'

type Row = readonly (string | number)[]

/** A CSV file that browsers save under this name. */
export const csv = (name: string, rows: readonly Row[], { headers = [], ...options }: ReplyOptions): Reply =>
  text(formatCsv(rows), `${CSV}; charset=utf-8`, {
    ...options,
    headers: [...headers, 'Content-Disposition', `attachment; filename="${name}"`],
  })

/** RFC 4180. */
export const formatCsv = (rows: readonly Row[]) => rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')

/** An apostrophe keeps a spreadsheet from running a text as a formula. */
function formatCell(value: string | number): string {
  const cell = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
