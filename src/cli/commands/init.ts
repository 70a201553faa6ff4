import { mkdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { styleText } from 'node:util'
import { ROOT } from '../../config/root.ts'
import { CommandError, defineCommand } from '../command.ts'
import { formatCount, formatProgramCall, printable, quoteForShell } from '../text.ts'

/** The state contains contact data of people who requested a key. */
const DATA_MODE = 0o700

export const init = defineCommand({
  name: 'init',
  summary: 'Creates a folder for running a service: commented settings, example content and a README.',
  settings: [],
  arguments: [{ name: 'folder', help: 'The folder. It is created if it does not exist.', completes: 'folders' }],
  options: {
    force: { help: 'Renames existing files that differ, instead of stopping. Nothing is deleted.' },
    'dry-run': { help: 'Lists the files without writing them.' },
  },
  examples: ['init ./my-menagerie', 'init /srv/menagerie --dry-run'],
  run: async ({ args, options: { force, 'dry-run': dryRun } }) => {
    const folder = resolve(args.folder)
    const found = await stat(folder).catch(() => undefined)
    if (found && !found.isDirectory()) throw new CommandError(`${args.folder} is not a folder.`)
    const [{ starterDir }, { compareFolder, planFolder, renameExisting, writeNewFile }] = await Promise.all([
      import('../../features/content/index.ts'),
      import('../operator-folder.ts'),
    ])
    const programCall = formatProgramCall(ROOT, folder)
    const { missing, conflicts } = await compareFolder(folder, await planFolder(starterDir, programCall))
    const existing = conflicts.map(({ path }) => path)
    if (existing.length > 0 && !force) {
      const number = formatCount(existing.length, 'file differs', 'files differ')
      throw new CommandError(
        `In ${args.folder}, ${number}: ${printable(existing.join(', '))}. Use --force to rename and replace them.`,
      )
    }
    const planned = [...missing, ...conflicts]
    const files = planned.map(({ path }) => path)
    if (!dryRun) await mkdir(join(folder, 'data'), { recursive: true, mode: DATA_MODE })
    if (files.length === 0 || dryRun) {
      const text = files.length === 0 ? `${printable(args.folder)} is complete.` : formatPlan(files, existing)
      return { text, value: { folder, files, dryRun, kept: [] } }
    }
    const kept: string[] = []
    for (const path of existing) kept.push(await renameExisting(folder, path))
    for (const file of planned) await writeNewFile(folder, file)
    return {
      text: [
        `${styleText('green', `Created ${printable(args.folder)}`)}: ${formatCount(files.length, 'file')}.`,
        ...(kept.length > 0 ? [`Renamed existing files: ${printable(kept.join(', '))}.`] : []),
        '',
        ...nextSteps(folder, programCall),
      ].join('\n'),
      value: { folder, files, dryRun, kept },
    }
  },
})

function formatPlan(files: readonly string[], existing: readonly string[]): string {
  const lines = files.map((path) => `  ${path}${existing.includes(path) ? ' (the existing file is renamed)' : ''}`)
  return ['These files would be written:', ...lines, '', 'Nothing was written.'].join('\n')
}

function nextSteps(folder: string, programCall: string): string[] {
  const path = relative('', folder)
  const cd = printable(quoteForShell(path.startsWith('..') ? folder : path))
  return [
    path === '' ? 'Next steps:' : `Next steps, in that folder (cd ${cd}):`,
    `  1. ${programCall} serve`,
    '     starts the service on http://127.0.0.1:4010. Ctrl-C stops it.',
    `  2. ${programCall} doctor`,
    '     checks the installation. The settings are in .env.',
    `  3. ${programCall} content add cat <your pictures>`,
    '     adds your own pictures. content/README.md describes the other content.',
  ]
}
