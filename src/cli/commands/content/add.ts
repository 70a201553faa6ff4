import { styleText } from 'node:util'
import type { Added } from '../../../features/content/index.ts'
import type { Ask } from '../../ask.ts'
import { CommandError, type CommandInput, defineCommand, type OptionSpecs, UsageError } from '../../command.ts'
import { demandContentFolder, withFetcher } from '../../open.ts'
import { count, visible } from '../../text.ts'

const credits = {
  author: { type: 'string', value: 'name', help: 'Who made the pictures.' },
  license: { type: 'string', value: 'name', help: 'Their licence, such as CC0-1.0.' },
  source: { type: 'string', value: 'URL', help: 'Where they are from.' },
  alt: { type: 'string', value: 'text', help: 'What they show, for those who cannot see them.' },
} as const satisfies OptionSpecs

export const contentAdd = defineCommand({
  name: 'content add',
  summary: 'Adds pictures to a kind of animal: upright, without GPS and other metadata, and each only once.',
  settings: ['CONTENT_DIR', 'FILTER_ALLOW_HOSTS', 'FILTER_PORTS', 'FILTER_MAX_BYTES', 'FILTER_TIMEOUT_MS'],
  arguments: [
    { name: 'kind', completes: 'kinds', help: 'The kind, such as cat; a new one comes to be.' },
    {
      name: 'sources',
      many: true,
      completes: 'files',
      help: 'Files, folders, URLs, or a .txt file with a URL a line.',
    },
  ],
  options: credits,
  examples: ['content add cat ~/Pictures/cats --author "Ann Lee" --license CC0-1.0', 'content add capybara urls.txt'],
  run: async ({ config, args: { kind, sources }, options, progress, ask }) => {
    await demandContentFolder(config.CONTENT_DIR)
    const { AddMisused, AddRefused, addPictures } = await import('../../../features/content/index.ts')
    const credits = await creditsOf(options, ask)
    const results = await withFetcher(config, async (get) => {
      using bar = progress('Adding pictures')
      return await addPictures({
        dir: config.CONTENT_DIR,
        kind,
        sources,
        credits,
        fetch: async (url) => ({ bytes: (await get(url)).body }),
        onProgress: ({ done, total }) => bar.show(done, total),
      })
    }).catch((error) => {
      if (error instanceof AddMisused) throw new UsageError(error.message)
      throw error instanceof AddRefused ? new CommandError(error.message) : error
    })
    if (results.length === 0) throw new CommandError('There is no picture in what was named.')
    const refused = results.filter(({ outcome }) => outcome === 'refused')
    return { text: textOf(kind, results), value: { kind, results }, ok: refused.length === 0 }
  },
})

/** Those given by options, or else those that a person at the terminal answers with. */
async function creditsOf(given: CommandInput<[], typeof credits>['options'], ask: Ask | undefined) {
  const known: Record<string, string> = {}
  const isGiven = Object.values(given).some((value) => value !== undefined)
  for (const [name, { help }] of Object.entries(credits)) {
    const value = isGiven ? given[name as keyof typeof credits] : await ask?.(`${help} (${name}, Enter leaves it out) `)
    if (value !== undefined) known[name] = value
  }
  return known
}

function textOf(kind: string, results: readonly Added[]): string {
  const left = results.flatMap((result) =>
    result.outcome === 'added' ? [] : [visible(`${result.source} ${result.outcome}: ${result.reason}`)],
  )
  const number = (wanted: Added['outcome']) => results.filter(({ outcome }) => outcome === wanted).length
  const added = styleText('green', `Added ${count(number('added'), 'picture')} to ${kind}`)
  return [...left, `${added}; ${number('skipped')} skipped, ${number('refused')} refused.`].join('\n')
}
