import { lstatSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { formatProgramCall, quoteForShell, ROOT } from '../../config/root.ts'
import { OperatorError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { formatEnvExample } from '../load-settings.ts'
import { formatCount, paint, printable } from '../text.ts'

/** .env may contain passwords. */
const ENV_MODE = 0o600
/** The state contains contact data of people who requested a key. */
const DATA_MODE = 0o700

export const init = defineCommand({
  name: 'init',
  actsOn: 'machine',
  summary: 'Creates a folder for a service. It has all settings (.env, commented out), example content and a README.',
  settings: [],
  arguments: [
    { name: 'folder', help: 'Path of the folder. It is created if it does not exist.', completes: 'folders' },
  ],
  options: {
    force: { help: 'Replaces existing files that differ. The old files are renamed, not deleted.' },
    'dry-run': { help: 'Lists the files without writing them.' },
  },
  examples: ['init ./my-menagerie', 'init /srv/menagerie --dry-run'],
  run: async ({ args, options: { force, 'dry-run': dryRun } }) => {
    const folder = resolve(args.folder)
    if (findEntry(folder)?.isFile()) throw new OperatorError(`${args.folder} is not a folder.`)
    const programCall = formatProgramCall(ROOT, folder)
    const { missing, different } = await compareFiles(folder, await planFiles(programCall))
    const existing = different.map(({ path }) => path)
    if (existing.length > 0 && !force) {
      const number = formatCount(existing.length, 'file differs', 'files differ')
      throw new OperatorError(
        `In ${args.folder}, ${number}: ${printable(existing.join(', '))}. Use --force to rename and replace them.`,
      )
    }
    const planned = [...missing, ...different]
    const files = planned.map(({ path }) => path)
    if (!dryRun) await mkdir(join(folder, 'data'), { recursive: true, mode: DATA_MODE })
    if (files.length === 0 || dryRun) {
      const text = files.length === 0 ? `${printable(args.folder)} is complete.` : formatPlan(files, existing)
      return { text, value: { folder, files, dryRun, renamed: [] } }
    }
    const renamed: string[] = []
    for (const path of existing) renamed.push(await renameExisting(folder, path))
    for (const file of planned) await writeNewFile(folder, file)
    return {
      text: [
        `${paint('green', `Created ${printable(args.folder)}`)}: ${formatCount(files.length, 'file')}.`,
        ...(renamed.length > 0 ? [`Renamed existing files: ${printable(renamed.join(', '))}.`] : []),
        '',
        ...nextSteps(folder, programCall),
      ].join('\n'),
      value: { folder, files, dryRun, renamed },
    }
  },
})

interface PlannedFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  readonly bytes: Buffer
  readonly mode?: number
}

async function planFiles(programCall: string): Promise<PlannedFile[]> {
  const { starterDir } = await import('../../features/content/index.ts')
  const entries = await readdir(starterDir, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name))
  const content = paths.sort().map(async (path) => ({
    path: `content/${relative(starterDir, path).replaceAll(sep, '/')}`,
    bytes: await readFile(path),
  }))
  const env = formatEnvExample('Remove the # from each setting that you change. "doctor" checks the settings.')
  return [
    { path: 'README.md', bytes: Buffer.from(folderReadme(programCall)) },
    { path: '.env', bytes: Buffer.from(env), mode: ENV_MODE },
    // For operators who keep the folder in git: without secrets and state.
    { path: '.gitignore', bytes: Buffer.from('.env*\ndata/\nbackup/\n*.sqlite*\n.publishing\n') },
    ...(await Promise.all(content)),
  ]
}

/** Does not follow links, so that a dangling link is found, too. */
const findEntry = (path: string) => lstatSync(path, { throwIfNoEntry: false })

async function compareFiles(folder: string, files: readonly PlannedFile[]) {
  const missing: PlannedFile[] = []
  const different: PlannedFile[] = []
  for (const file of files) {
    const path = join(folder, file.path)
    const found = findEntry(path)
    if (!found) missing.push(file)
    else if (!found.isFile() || !file.bytes.equals(await readFile(path))) different.push(file)
  }
  return { missing, different }
}

/** Never overwrites: the flag `wx` fails if the file appeared meanwhile, or if it is a dangling link. */
async function writeNewFile(folder: string, { path, bytes, mode = 0o644 }: PlannedFile): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  await using file = await open(target, 'wx', mode)
  await file.writeFile(bytes)
}

/** Renames an existing file to `<name>.before`, or `.before-2` and so on. Returns the new name. */
async function renameExisting(folder: string, path: string): Promise<string> {
  let newPath = `${path}.before`
  for (let number = 2; findEntry(join(folder, newPath)); number++) newPath = `${path}.before-${number}`
  await rename(join(folder, path), join(folder, newPath))
  return newPath
}

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

const folderReadme = (programCall: string) => `# My menagerie

Everything that one service needs. Run the commands in this folder.

| path | purpose |
|---|---|
| \`.env\` | the settings, each with its rule and default; keep it private |
| \`content/\` | the content to serve: pictures, texts, releases, news; see \`content/README.md\` |
| \`data/\` | written by the service: state, logs, caches |

\`\`\`sh
# start the service on http://127.0.0.1:4010
${programCall} serve
# check the installation
${programCall} doctor
# add your own pictures
${programCall} content add cat ~/Pictures/cats
# create a token for the operator endpoints
${programCall} token create dashboard --expires 90d
# list all commands
${programCall} --help
\`\`\`

The service backs up \`content/\` and its store to \`data/backups\`. Copy that folder and \`.env\` to another disk.
`
