import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The text of all log files of a service. A test around midnight has two. */
export async function readLogs(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'logs')
  const names = (await readdir(folder)).sort()
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('')
}
