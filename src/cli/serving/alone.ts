import type { CommandInput } from '../command.ts'
import { refusing } from './refusing.ts'
import { crashesTo, onHangUp, stopOn } from './signals.ts'
import { welcome } from './welcome.ts'

/** The whole service in this process. */
export async function serveAlone({ config, json, note }: CommandInput): Promise<void> {
  const { startService } = await import('../../app/service.ts')
  const service = await refusing(startService(config, note))
  const { url } = service
  process.stdout.write(json ? `${JSON.stringify({ success: true, url })}\n` : welcome(url, config))
  crashesTo(service.crash)
  const say = json ? note : (text: string) => void process.stdout.write(`  ${text}\n`)
  const graceMs = config.STOP_GRACE_SECONDS * 1000
  const hangUp = onHangUp(() => say('A single process has no other to take over: restart it, or set WORKERS.'))
  await stopOn(['SIGINT', 'SIGTERM', ...hangUp], say, () => service.stop({ graceMs, lingerMs: 0 }))
}
