import { defineCommand } from '../command.ts'

export const serve = defineCommand({
  name: 'serve',
  actsOn: 'machine',
  summary: 'Runs the service until Ctrl-C or SIGTERM stops it.',
  examples: ['serve', 'serve --host 0.0.0.0 --port 8080', 'serve --workers auto --store-url redis://127.0.0.1:6379'],
  run: async (input) => {
    // Imported here: no other command needs it.
    const { serve } = await import('../run-service.ts')
    await serve(input)
    return undefined
  },
})
