import { defineCommand } from '../command.ts'

export const serve = defineCommand({
  name: 'serve',
  summary: 'Runs the service until it is told to stop (Ctrl-C, SIGTERM).',
  examples: ['serve', 'serve --host 0.0.0.0 --port 8080', 'serve --workers auto --store-url redis://127.0.0.1:6379'],
  run: async (input) => {
    const { isWorker } = await import('../../platform/workers/index.ts')
    ;(await import('../serving/collecting.ts')).collectSeldom()
    if (isWorker()) await (await import('../serving/joined.ts')).serveJoined(input)
    else if (input.config.WORKERS > 1) await (await import('../serving/primary.ts')).servePrimary(input)
    else await (await import('../serving/alone.ts')).serveAlone(input)
    return undefined
  },
})
