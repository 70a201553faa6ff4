// The folder that `menagerie init` creates: settings, example content and READMEs.
import { lstat, mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { formatEnvExample } from './settings.ts'

export interface PlannedFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  readonly bytes: Buffer
  readonly mode?: number
}

/** .env may contain passwords. */
const OWNER_ONLY = 0o600

export async function planFolder(starterDir: string, programCall: string): Promise<PlannedFile[]> {
  const textFile = (path: string, text: string): PlannedFile => ({ path, bytes: Buffer.from(text) })
  const env = formatEnvExample('Remove the # from each setting that you change. "doctor" checks the settings.')
  return [
    textFile('README.md', folderReadme(programCall)),
    { ...textFile('.env', env), mode: OWNER_ONLY },
    // If the folder is kept in git, content belongs there; secrets and state do not.
    textFile('.gitignore', '.env*\ndata/\nbackup/\n*.sqlite*\n'),
    textFile('content/README.md', contentReadme),
    ...(await copyStarterContent(starterDir)),
  ]
}

async function copyStarterContent(starterDir: string): Promise<PlannedFile[]> {
  const entries = await readdir(starterDir, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: `content${path.slice(starterDir.length).replaceAll(sep, '/')}`,
      bytes: await readFile(path),
    })),
  )
}

export interface FolderComparison {
  readonly missing: readonly PlannedFile[]
  /** Files that exist with other content. */
  readonly conflicts: readonly PlannedFile[]
}

export async function compareFolder(folder: string, files: readonly PlannedFile[]): Promise<FolderComparison> {
  const missing: PlannedFile[] = []
  const conflicts: PlannedFile[] = []
  for (const file of files) {
    const path = join(folder, file.path)
    const found = await lstat(path).catch(ignoreMissing)
    if (!found) missing.push(file)
    else if (!found.isFile() || !file.bytes.equals(await readFile(path))) conflicts.push(file)
  }
  return { missing, conflicts }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Never overwrites: the flag `wx` fails if the file appeared meanwhile, or if it is a dangling link. */
export async function writeNewFile(folder: string, { path, bytes, mode = 0o644 }: PlannedFile): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  await using file = await open(target, 'wx', mode)
  await file.writeFile(bytes)
}

/** Renames an existing file to `<name>.before`, or `.before-2` and so on. Returns the new name. */
export async function renameExisting(folder: string, path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const newPath = `${path}.before${number === 1 ? '' : `-${number}`}`
    if (await lstat(join(folder, newPath)).catch(ignoreMissing)) continue
    await rename(join(folder, path), join(folder, newPath))
    return newPath
  }
}

const folderReadme = (programCall: string) => `# My menagerie

Everything that one service needs. Run the commands in this folder. \`menagerie\` stands for \`${programCall}\`.

| path | purpose |
|---|---|
| \`.env\` | the settings, each with its rule and default; keep it private |
| \`content/\` | the content to serve: pictures, texts, releases, news; see \`content/README.md\` |
| \`data/\` | written by the service: state, logs, caches |

\`\`\`sh
menagerie serve                                     # start the service on http://127.0.0.1:4010
menagerie doctor                                    # check the installation
menagerie content add cat ~/Pictures/cats           # add your own pictures
menagerie token create dashboard --expires 90d      # create a token for the operator endpoints
menagerie --help                                    # list all commands
\`\`\`

Back up \`content/\`, \`.env\` and a copy of the store (\`menagerie store copy current sqlite:backup.sqlite\`).
`

const contentReadme = `# Content

A valid change is live within two seconds, without a restart. An invalid change has no effect on what is served;
\`menagerie content check\` reports its file, line and rule.

| path | content |
|---|---|
| \`animals/<kind>/\` | pictures (JPEG, PNG, WebP, GIF, AVIF); each folder is a kind. Built-in kinds without pictures are drawn. |
| \`animals/<kind>/credits.yaml\` | author, licence and source of the pictures; see \`animals/README.md\` |
| \`kaomoji/<kind>.txt\`, \`string/<kind>.txt\` | texts, one per line |
| \`yt-video/<kind>.yaml\` | videos by id and title |
| \`blocklist.txt\` | hosts from which no images are fetched, one domain per line |
| \`app/releases.yaml\`, \`app/resources.yaml\` | releases and resources, with files in \`app/files/\`. Replace these examples. |
| \`app/news/<name>.md\` | news, with title and date as front matter |
| \`app/tiers.yaml\` | resources and benefits of the tiers |

\`menagerie content add\` removes GPS positions from pictures. \`menagerie release publish\` computes sizes and checksums.
`
