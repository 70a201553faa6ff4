import { mkdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { styleText } from 'node:util'
import { ROOT } from '../../config/root.ts'
import { CommandError, defineCommand } from '../command.ts'
import { programCall, quoted } from '../program-call.ts'
import { count, visible } from '../text.ts'

/** State is nobody's but the service's: it tells who asked for keys. */
const DATA_MODE = 0o700

export const init = defineCommand({
  name: 'init',
  summary: 'Makes a folder to run a service from: commented settings, example content, and a README.',
  settings: [],
  arguments: [{ name: 'folder', help: 'The folder; it is made where it is missing.', completes: 'folders' }],
  options: {
    force: {
      type: 'boolean',
      help: 'Also where files are in the way: they are kept under another name, never deleted.',
    },
    'dry-run': { type: 'boolean', help: 'Shows what would be written, and writes nothing.' },
  },
  examples: ['init ./my-menagerie', 'init /srv/menagerie --dry-run'],
  run: async ({ args, options: { force, 'dry-run': dryRun } }) => {
    const folder = resolve(args.folder)
    const found = await stat(folder).catch(() => undefined)
    if (found && !found.isDirectory()) throw new CommandError(`${args.folder} is not a folder.`)
    const [{ starterDir }, { planFolder }, { compare, setAside, writeNew }] = await Promise.all([
      import('../../features/content/index.ts'),
      import('../init/plan.ts'),
      import('../init/write.ts'),
    ])
    const call = programCall(ROOT, folder)
    const { missing, inTheWay } = await compare(folder, await planFolder(starterDir, call))
    const names = inTheWay.map(({ path }) => path)
    if (inTheWay.length > 0 && !force) {
      const other = '--force keeps them under another name and goes on'
      throw new CommandError(
        `In ${args.folder} ${count(names.length, 'file is', 'files are')} in the way: ${visible(names.join(', '))}; ${other}.`,
      )
    }
    const files = [...missing, ...inTheWay].map(({ path }) => path)
    const value = { folder, files, dryRun }
    if (!dryRun) await mkdir(join(folder, 'data'), { recursive: true, mode: DATA_MODE })
    if (files.length === 0)
      return { text: `All is there already in ${visible(args.folder)}.`, value: { ...value, kept: [] } }
    if (dryRun) {
      const lines = files.map(
        (path) => `  ${path}${names.includes(path) ? ' (what is there is kept under another name)' : ''}`,
      )
      return {
        text: ['This would be written:', ...lines, '', 'Nothing was written.'].join('\n'),
        value: { ...value, kept: [] },
      }
    }
    const kept: string[] = []
    for (const path of names) kept.push(await setAside(folder, path))
    for (const file of [...missing, ...inTheWay]) await writeNew(folder, file)
    return {
      text: [
        `${styleText('green', `Made ${visible(args.folder)}`)}: ${count(files.length, 'file')}.`,
        ...keptLines(kept),
        '',
        ...nextSteps(folder, call),
      ].join('\n'),
      value: { ...value, kept },
    }
  },
})

const keptLines = (kept: readonly string[]) =>
  kept.length > 0 ? [`Kept what was in the way: ${visible(kept.join(', '))}.`] : []

function nextSteps(folder: string, call: string): string[] {
  const there = relative('', folder)
  return [
    there === '' ? 'Next:' : `Next, in that folder (cd ${visible(quoted(there.startsWith('..') ? folder : there))}):`,
    `  1. ${call} serve`,
    '     serves it on http://127.0.0.1:4010; Ctrl-C stops it.',
    `  2. ${call} doctor`,
    '     tells whether all is well there; .env has the settings.',
    `  3. ${call} content add cat <your pictures>`,
    '     and content/README.md says what else can be yours.',
  ]
}
