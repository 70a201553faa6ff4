import { relative } from 'node:path'
import type { Config } from '../../config.ts'
import { type Service, startService } from '../../main.ts'
import type { Command } from '../command.ts'

// The start script and the terminal may both pass one Ctrl-C on.
const SAME_SIGNAL_MS = 1000

export const serve: Command = {
  name: 'serve',
  summary: 'Runs the service until it is told to stop (Ctrl-C, SIGTERM).',
  run: async ({ config }) => {
    const service = await startService(config, (text) => process.stderr.write(`${text}\n`))
    process.stdout.write(welcome(service.url, config))
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error) => {
        service.crash(error)
        process.exit(1)
      })
    }
    await untilTold(service)
    return undefined
  },
}

function welcome(url: string, config: Config): string {
  const shown = config.PUBLIC_URL || url
  const folder = (path: string) => (relative(process.cwd(), path).startsWith('..') ? path : `./${relative('', path)}`)
  return `
  Menagerie is open

    Service   ${shown}/api
    Reference ${shown}/docs
    Content   ${folder(config.CONTENT_DIR)}
    Data      ${folder(config.DATA_DIR)}

  Ctrl-C stops it; --help lists the settings.

`
}

function untilTold(service: Service): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const stop = () => {
      if (toldAt !== undefined && Date.now() - toldAt > SAME_SIGNAL_MS) process.exit(1)
      if (toldAt !== undefined) return
      toldAt = Date.now()
      process.stdout.write('  Closing: requests under way are answered first.\n')
      service.stop().then(resolve)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  })
}
