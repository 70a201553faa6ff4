import { defineCommand } from '../command.ts'
import { shells } from '../completion.ts'

export const completion = defineCommand({
  name: 'completion',
  actsOn: 'machine',
  summary: 'Prints a completion script for a shell. With it, the Tab key completes commands, options and values.',
  settings: [],
  arguments: [{ name: 'shell', help: 'The shell.', choices: ['bash', 'zsh', 'fish'] }],
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  run: async ({ args: { shell } }) => {
    const { script } = shells[shell]
    return { text: script, value: { shell, script } }
  },
})
