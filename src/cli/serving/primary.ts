import { GivenUp } from '../../platform/workers/index.ts'
import { CommandError, type CommandInput } from '../command.ts'
import { refusing } from './refusing.ts'
import { onHangUp, stopOn } from './signals.ts'
import { welcome } from './welcome.ts'

/** The process that keeps the workers running; each of them runs the same command again. */
export async function servePrimary({ config, json, note }: CommandInput): Promise<void> {
  const { startPrimary } = await import('../../app/primary.ts')
  const [, file = '', ...words] = process.argv
  const primary = await refusing(startPrimary(config, { file, words }, note))
  const say = json ? note : (text: string) => void process.stdout.write(`  ${text}\n`)

  const hangUp = onHangUp(rollBy(primary.roll, say))
  const stopped = stopOn(['SIGINT', 'SIGTERM', ...hangUp], say, primary.stop)
  try {
    const url = await Promise.race([primary.opened, stopped])
    if (url === undefined) return
    process.stdout.write(
      json ? `${JSON.stringify({ success: true, url, workers: config.WORKERS })}\n` : welcome(url, config),
    )
    await Promise.race([stopped, primary.lost])
  } catch (error) {
    throw error instanceof GivenUp ? new CommandError(error.message) : error
  }
}

/** One roll at a time; a signal that comes during one asks for another after it. */
function rollBy(roll: () => Promise<string | undefined>, say: (text: string) => void): () => Promise<void> {
  let isRolling = false
  let again = false
  return async () => {
    again = isRolling
    if (isRolling) return
    isRolling = true
    do {
      again = false
      say('Replacing the workers one after the other.')
      const reason = await roll()
      say(
        reason === undefined
          ? 'All workers were replaced.'
          : `A new worker did not come up (${reason}); the others stay.`,
      )
    } while (again)
    isRolling = false
  }
}
