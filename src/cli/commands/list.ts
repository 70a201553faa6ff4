import { type ArgumentSpec, defineCommand } from '../command.ts'
import { defineChange, readText, settings } from '../publish-options.ts'
import { printableLines } from '../text.ts'

const list = [
  {
    name: 'category',
    help: 'The category. Texts have one item per line, yt-video is YAML with id and title.',
    choices: ['string', 'kaomoji', 'yt-video'],
  },
  { name: 'kind', help: 'The kind, such as 8ball.' },
] as const satisfies readonly ArgumentSpec[]

export const listShow = defineCommand({
  name: 'list show',
  summary: 'Prints the list of texts or videos of a kind.',
  settings,
  arguments: list,
  examples: ['list show string 8ball'],
  run: async ({ service, args }) => {
    const { file, text } = await service.readList(args.category, args.kind)
    return { text: printableLines(text.trimEnd()), value: { file, text } }
  },
})

export const listPut = defineChange({
  name: 'list put',
  summary: 'Publishes the list of texts or videos of a kind. Replaces an existing list. A new kind is created.',
  arguments: [...list, { name: 'file', help: 'File with the complete list.', completes: 'files' }],
  options: { force: { help: 'Accepts a list that has lost most of its entries.' } },
  examples: ['list put string fortune fortunes.txt', 'list put yt-video hl-cats videos.yaml --dry-run'],
  change: async ({ service, args: { file, ...args }, options: { force } }, dryRun) => {
    const change = await service.apply('list put', { ...args, text: await readText(file), force }, dryRun)
    return [`Published ${args.category}/${args.kind}.`, { ...args, ...change }]
  },
})

export const listRemove = defineChange({
  name: 'list remove',
  summary: 'Removes the list of a kind. A built-in kind has the list of the service again.',
  arguments: list,
  examples: ['list remove string fortune'],
  change: async ({ service, args }, dryRun) => {
    const change = await service.apply('list remove', args, dryRun)
    return [`Removed ${args.category}/${args.kind}.`, { ...args, ...change }]
  },
})
