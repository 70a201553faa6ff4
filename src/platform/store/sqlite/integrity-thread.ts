import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const { file, isCopy } = workerData as { file: string; isCopy: boolean }
try {
  using db = new DatabaseSync(file, { readOnly: !isCopy })
  // A copy in WAL mode would consist of several files.
  if (isCopy) db.exec('PRAGMA journal_mode = DELETE')
  const [result] = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {})
  parentPort?.postMessage(String(result))
} catch (error) {
  parentPort?.postMessage((error as Error).message)
}
