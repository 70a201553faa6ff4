// Complete checks and copies of a database, in a thread of their own: both take seconds for a large file.
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/** Resolves to what is wrong with the database; undefined: nothing. */
export async function checkIntegrity(file: string, isCopy = false): Promise<string | undefined> {
  const thread = new Worker(new URL('./integrity-thread.ts', import.meta.url), { workerData: { file, isCopy } })
  let result = 'the check was ended'
  thread.on('message', (message: string) => {
    result = message
  })
  // Of a busy process both events arrive in one turn: waiting for one after the other would miss the second.
  await once(thread, 'exit')
  // The first line only names the database.
  return result === 'ok' ? undefined : result.split('\n').at(-1)
}

/** Copies a database while it is in use. The copy is one file that only its owner can read. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true })
  await backup(db, target)
  await chmod(target, 0o600)
  const fault = await checkIntegrity(target, true)
  if (fault) throw new Error(`the copy of the database is damaged: ${fault}`)
}
