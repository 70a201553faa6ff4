import { parentPort, workerData } from 'node:worker_threads'
import { toApiError } from '../../errors/index.ts'
import type { CallReply, PublisherCall, ThreadOptions } from './open-publisher.ts'
import { createPublisher } from './publisher.ts'
import { openNodeSync } from './sync/sync.ts'
import { createUploads } from './uploads.ts'

const { contentDir, dataDir, uploadDir, uploadMaxBytes, sync: options } = workerData as ThreadOptions
const sync = options && (await openNodeSync({ contentDir, dataDir, ...options }))
const publisher = createPublisher({ contentDir, dataDir, uploads: createUploads(uploadDir, uploadMaxBytes), sync })

parentPort?.on('message', async ({ method, args }: PublisherCall) => {
  let reply: CallReply
  try {
    const call = publisher[method] as (...args: readonly unknown[]) => Promise<unknown>
    reply = { result: await call(...args) }
  } catch (error) {
    const { code, status, message, details } = toApiError(error) ?? {}
    reply =
      code === undefined
        ? { bug: (error as Error).stack ?? String(error) }
        : { error: { code, status: status!, message: message!, details: details! } }
  }
  parentPort?.postMessage(reply)
})
