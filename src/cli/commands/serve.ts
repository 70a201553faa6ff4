import { relative } from 'node:path'
import type { Config } from '../../config.ts'
import type { Service } from '../../main.ts'
import { defineCommand, Refusal } from '../command.ts'

// The start script and the terminal may both pass one Ctrl-C on.
const SAME_SIGNAL_MS = 1000

export const serve = defineCommand({
  name: 'serve',
  summary: 'Runs the service until it is told to stop (Ctrl-C, SIGTERM).',
  examples: ['serve', 'serve --host 0.0.0.0 --port 8080'],
  run: async ({ config, json, note }) => {
    const { startService, StartError } = await import('../../main.ts')
    const service = await startService(config, note).catch((error) => {
      throw error instanceof StartError ? new Refusal(error.message) : error
    })
    const { url } = service
    process.stdout.write(json ? `${JSON.stringify({ success: true, url })}\n` : welcome(url, config))
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error) => {
        service.crash(error)
        process.exit(1)
      })
    }
    await untilTold(service, json ? note : (text) => void process.stdout.write(`  ${text}\n`))
    return undefined
  },
})

function welcome(url: string, config: Config): string {
  const shown = config.PUBLIC_URL || url
  const folder = (path: string) => (relative(process.cwd(), path).startsWith('..') ? path : `./${relative('', path)}`)
  return `
  Menagerie is open

    Service   ${shown}/api
    Reference ${shown}/docs
    Dashboard ${shown}/operator
    Content   ${folder(config.CONTENT_DIR)}
    Data      ${folder(config.DATA_DIR)}

  Ctrl-C stops it; --help lists the settings.

`
}

function untilTold(service: Service, say: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const stop = () => {
      if (toldAt !== undefined && Date.now() - toldAt > SAME_SIGNAL_MS) process.exit(1)
      if (toldAt !== undefined) return
      toldAt = Date.now()
      say('Closing: requests under way are answered first.')
      service.stop().then(resolve)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  })
}
