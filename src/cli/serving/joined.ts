import { assertSharedStore } from '../../app/preconditions.ts'
import { type Farewell, joinPrimary } from '../../platform/workers/index.ts'
import type { CommandInput } from '../command.ts'
import { refusing } from './refusing.ts'
import { crashesTo } from './signals.ts'

/** One of several processes of the service. The primary prints, writes the log, and says when to stop. */
export async function serveJoined({ config: given }: CommandInput): Promise<void> {
  // A terminal sends these to every process; stopping and rolling are the primary's.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const member = await joinPrimary()
  const { dismissed, host, port, workers } = member
  let isServing = false
  // The primary is gone, or in a hurry, before there is anything to finish.
  void dismissed.then(() => isServing || process.exit(0))

  // The settings may have been edited since the primary read them; these are the same for all.
  const config = { ...given, HOST: host, PORT: port, WORKERS: workers }
  const { startService } = await import('../../app/service.ts')
  const start = async () => {
    assertSharedStore(config)
    return startService(config, member.tell, member)
  }
  const service = await refusing(start())
  isServing = true
  crashesTo(service.crash)
  member.ready(service.url)

  const told = new Promise<Farewell>((resolve) => {
    // Somebody stops this one worker.
    process.on('SIGTERM', () => resolve({ graceMs: 0, lingerMs: 0 }))
  })
  await service.stop(await Promise.race([dismissed, told]))
  await member.leave()
}
