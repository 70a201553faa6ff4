import { defineCommand } from '../command.ts'

export const serve = defineCommand({
  name: 'serve',
  actsOn: 'machine',
  summary: 'Runs the service until Ctrl-C or SIGTERM stops it.',
  examples: ['serve', 'serve --host 0.0.0.0 --port 8080', 'serve --workers auto --store-url redis://127.0.0.1:6379'],
  run: async (input) => {
    // Imported here: no other command needs them.
    const { isWorker } = await import('../../platform/workers/index.ts')
    const serving = await import('../run-service.ts')
    if (isWorker()) {
      await serving.serveAsWorker(input)
      return undefined
    }
    const { createFirstContent } = await import('../first-content.ts')
    const hasNewContent = await createFirstContent(input)
    if (input.config.WORKERS > 1) await serving.serveAsPrimary(input, hasNewContent)
    else await serving.serveAsSingleProcess(input, hasNewContent)
    return undefined
  },
})
