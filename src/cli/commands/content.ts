import { join } from 'node:path'
import { OperatorError, UsageError } from '../../errors/index.ts'
import type { AddResult } from '../../features/content/index.ts'
import type { ArgumentSpec, CommandInput, CommandResult, OptionSpecs } from '../command.ts'
import { defineCommand } from '../command.ts'
import { formatCommand } from '../help.ts'
import type { OperatorService } from '../local-service.ts'
import { defineChange, dryRunOption } from '../publish-options.ts'
import type { Ask } from '../terminal.ts'
import type { Format } from '../text.ts'
import { formatCount, paint, printable } from '../text.ts'
import { formatLocation, withFetcher } from '../with-services.ts'

export const contentList = defineCommand({
  name: 'content list',
  summary: 'Lists kinds of content, or the pictures of a kind.',
  settings: ['CONTENT_DIR'],
  arguments: [{ name: 'kind', completes: 'kinds', help: 'A kind of animal: lists its pictures.', optional: true }],
  examples: ['content list', 'content list cat', 'content list --json'],
  run: async ({ service, args, progress, format, json, note }) => {
    if (args.kind !== undefined) return formatPictures(await service.readPictures(args.kind), format)
    using bar = progress('Reading pictures')
    const { kinds, problems } = await service.readKinds(bar.show)
    const rows = Object.entries(kinds).flatMap(([category, summaries]) =>
      summaries.map(({ kind, drawn, count, types }) => ({
        category,
        kind,
        items: drawn ? 'drawn' : String(count),
        types: Object.entries(types)
          .map(([type, number]) => `${number} ${type}`)
          .join(', '),
      })),
    )
    if (problems > 0 && !json) note(`${formatCount(problems, 'problem')}: see "${formatCommand('content check')}".`)
    return { text: format.table(rows, 'There is no content.'), value: { kinds, problems } }
  },
})

function formatPictures(entry: Awaited<ReturnType<OperatorService['readPictures']>>, format: Format): CommandResult {
  const rows = entry.pictures.map(({ file, credit }) => {
    const { author = '', license = '', source = '', alt = '', tags = [] } = { ...entry.default, ...credit }
    return { file, author, license, source, alt, tags: tags.join(', ') }
  })
  return { text: format.table(rows, 'There are no pictures of this kind.'), value: entry }
}

const creditOptions = {
  author: { value: 'name', help: 'Author of the pictures.' },
  license: { value: 'name', help: 'Licence of the pictures, such as CC0-1.0.' },
  source: { value: 'URL', help: 'Web page to credit as the origin of the pictures.' },
  alt: { value: 'text', help: 'Alternative text for people who cannot see the pictures.' },
  tag: { value: 'tag', multiple: true, help: 'What the pictures show, such as sleeping; for requests with "tags".' },
} as const satisfies OptionSpecs

export const contentAdd = defineCommand({
  name: 'content add',
  summary:
    'Adds pictures to a kind of animal. Rotates them upright, removes GPS and other metadata, skips duplicates. On a ' +
    'terminal, asks for the credits if no option gives them.',
  settings: ['CONTENT_DIR', 'DATA_DIR', 'FILTER_ALLOW_HOSTS', 'FILTER_PORTS', 'FILTER_MAX_BYTES', 'FILTER_TIMEOUT_MS'],
  arguments: [
    { name: 'kind', completes: 'kinds', help: 'The kind, such as cat. A new kind is created.' },
    {
      name: 'pictures',
      many: true,
      completes: 'files',
      help: 'Files, folders, URLs, or .txt files with one URL per line.',
    },
  ],
  options: {
    ...creditOptions,
    'keep-drawings': { help: 'A built-in kind serves its drawings and the pictures. Default: only the pictures.' },
    ...dryRunOption,
  },
  examples: [
    'content add cat ~/Pictures/cats --author "Ann Lee" --license CC0-1.0',
    'content add cat nap.jpg --tag sleeping --tag hat',
    'content add capybara urls.txt',
  ],
  run: async ({ config, service, args: { kind, pictures: sources }, options, progress, ask }) => {
    const { 'dry-run': dryRun, 'keep-drawings': keepDrawings, ...creditOptions } = options
    const credits = await readCredits(creditOptions, ask)
    const { results, diff, replacesDrawings } = await withFetcher(config, async (get) => {
      using bar = progress('Adding pictures')
      const fetch = async (url: string) => ({ bytes: (await get(url)).body })
      const input = { kind, sources, ...credits, keepDrawings: keepDrawings || undefined, fetch, onProgress: bar.show }
      return await service.apply('content add', input, dryRun)
    })
    if (results.length === 0) throw new OperatorError('There are no pictures in these files, folders or URLs.')
    const refused = results.filter(({ outcome }) => outcome === 'refused')
    const text = dryRun ? `${diff}\n\nNothing was changed.` : formatAdded(kind, results, replacesDrawings)
    return { text, value: { kind, results, dryRun }, ok: refused.length === 0 }
  },
})

const pictureFiles = {
  name: 'files',
  many: true,
  help: 'Names of files in the folder of the kind. In a shell, cd there and use patterns such as *.jpg.',
} as const satisfies ArgumentSpec

const kindArgument = {
  name: 'kind',
  completes: 'kinds',
  help: 'The kind, such as cat.',
} as const satisfies ArgumentSpec

export const contentRemove = defineChange({
  name: 'content remove',
  summary: 'Removes pictures of a kind, with their credits. "history undo" restores them.',
  arguments: [kindArgument, { ...pictureFiles, optional: true }],
  options: { all: { help: 'Removes all pictures of the kind, and so the kind, unless it is built in.' } },
  examples: ['content remove cat sleepy-0123456789ab.webp', 'content remove capybara --all'],
  change: async ({ service, args: { kind, ...args }, options: { all } }, dryRun) => {
    if (all === args.files.length > 0) throw new UsageError('Name the files, or use --all.')
    const files = all ? (await service.readPictures(kind)).pictures.map(({ file }) => file) : args.files
    if (files.length === 0) throw new OperatorError(`There are no pictures in animals/${kind}.`)
    const change = await service.apply('content remove', { kind, files }, dryRun)
    return [`Removed ${formatCount(files.length, 'picture')} of ${kind}.`, { kind, ...change }]
  },
})

export const contentCredit = defineChange({
  name: 'content credit',
  summary: 'Replaces the credits of pictures. On a terminal, asks for them if no option gives them.',
  arguments: [kindArgument, pictureFiles],
  options: creditOptions,
  examples: ['content credit cat sleepy-0123456789ab.webp --author "Ann Lee" --license CC0-1.0'],
  change: async ({ service, args: { kind, files }, options, ask }, dryRun) => {
    const input = { kind, files, ...(await readCredits(options, ask)) }
    const change = await service.apply('content credit', input, dryRun)
    const message = `Changed the credits of ${formatCount(files.length, 'picture')} of ${kind}.`
    return [message, { kind, ...change }]
  },
})

/** Asks the person at the terminal for the credits, unless one of the options is used. */
async function readCredits(options: CommandInput<[], typeof creditOptions>['options'], ask: Ask | undefined) {
  const credits: Record<string, string> = {}
  const texts = ['author', 'license', 'source', 'alt'] as const
  const hasOptions = options.tag.length > 0 || texts.some((name) => options[name] !== undefined)
  for (const name of texts) {
    const question = `${creditOptions[name].help} (${name}, Enter to skip) `
    const value = hasOptions ? options[name] : await ask?.(question)
    if (value !== undefined) credits[name] = value
  }
  const tags = new Set(options.tag.flatMap((text) => text.split(',')).map((text) => text.trim().toLowerCase()))
  return { ...credits, ...(tags.size > 0 && { tags: [...tags] }) }
}

function formatAdded(kind: string, results: readonly AddResult[], replacesDrawings: boolean): string {
  const lines = results.map((result) =>
    printable(
      result.outcome === 'added'
        ? `${result.source} added as ${result.file}`
        : `${result.source} ${result.outcome}: ${result.reason}`,
    ),
  )
  const count = (expected: AddResult['outcome']) => results.filter(({ outcome }) => outcome === expected).length
  const added = paint('green', `Added ${formatCount(count('added'), 'picture')} to ${kind}`)
  const serves = `${kind} now serves ${formatCount(count('added'), 'picture')} instead of drawings. --keep-drawings mixes both.`
  const summary = `${added}; ${count('skipped')} skipped, ${count('refused')} refused.`
  return [...lines, summary, ...(replacesDrawings ? [serves] : [])].join('\n')
}

export const contentCheck = defineCommand({
  name: 'content check',
  summary:
    'Checks the content folder and lists all problems. Exit code 1 if there are any. A remote service lists the ' +
    'problems that it has found.',
  settings: ['CONTENT_DIR'],
  examples: ['content check', 'content check --content-dir ./new-content'],
  run: async ({ service, progress }) => {
    using bar = progress('Reading pictures')
    const { pictures, problems } = await service.checkContent(bar.show)
    const lines = problems.map(({ rule, message, ...location }) =>
      printable(`${formatLocation(location)} ${rule}: ${message}`),
    )
    const ok = problems.length === 0
    const summary = ok
      ? paint('green', `No problems. Checked ${formatCount(pictures, 'picture')} and all lists, releases and news.`)
      : paint('red', `${formatCount(problems.length, 'problem')}.`)
    return { text: [...lines, summary].join('\n'), value: { pictures, problems }, ok }
  },
})

const SHEET = { columns: 8, rows: 6, cell: 160 }

export const contentSheet = defineCommand({
  name: 'content sheet',
  actsOn: 'files',
  summary: 'Writes contact sheets of the drawn animals. One PNG per kind, with seeds and URLs.',
  settings: [],
  arguments: [
    {
      name: 'kinds',
      many: true,
      optional: true,
      choices: ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird'],
      help: 'The kinds. Default: all.',
    },
  ],
  options: {
    out: { value: 'folder', completes: 'folders', help: 'Output folder. Default: ./sheets.' },
    seed: { value: 'number', help: 'Seed of the first drawing. Default: 0.' },
  },
  examples: ['content sheet', 'content sheet cat dog --out ./sheets --seed 48'],
  run: async ({ args, options: { out = 'sheets', seed = '0' }, progress }) => {
    if (!/^\d{1,15}$/.test(seed)) throw new UsageError(`--seed must be a whole number, not "${seed}".`)
    const [{ artistKinds, renderContactSheet }, { writeAtomically }] = await Promise.all([
      import('../../features/content/index.ts'),
      import('../../platform/files/index.ts'),
    ])
    const kinds = artistKinds.filter((kind) => args.kinds.length === 0 || args.kinds.includes(kind))
    const files: string[] = []
    using bar = progress('Drawing sheets')
    for (const kind of kinds) {
      bar.show(files.length, kinds.length)
      const file = join(out, `${kind}.png`)
      await writeAtomically(file, await renderContactSheet(kind, { ...SHEET, firstSeed: Number(seed) }))
      files.push(file)
    }
    return { text: files.join('\n'), value: { files } }
  },
})
