// A worker that does what the task says.
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', ({ action }: { action: string }) => {
  if (action === 'hang') for (;;);
  if (action === 'never answer') return
  if (action === 'throw') throw new Error('thrown by a worker')
  if (action === 'exit') process.exit(3)
  if (action === 'answer later') return setTimeout(() => parentPort?.postMessage('done'), 150)
  parentPort?.postMessage('done')
})
