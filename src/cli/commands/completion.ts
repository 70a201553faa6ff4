import { defineCommand } from '../command.ts'

export const completion = defineCommand({
  name: 'completion',
  summary: 'Prints the script that lets a shell complete commands, options and values with the Tab key.',
  settings: [],
  arguments: [{ name: 'shell', help: 'The shell.', choices: ['bash', 'zsh', 'fish'] }],
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  run: async ({ args: { shell } }) => {
    const { shells } = await import('../complete/shells.ts')
    const { script } = shells[shell]
    return { text: script, value: { shell, script } }
  },
})
