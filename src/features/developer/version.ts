import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export type Version = Awaited<ReturnType<typeof readVersion>>

/** `node` has no "v". `commit` is that of the git clone that runs; null: not a clone. */
export async function readVersion(root: string) {
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return { version, node: process.versions.node, commit: await readCommit(join(root, '.git')) }
}

/** Reads the files of git, because git itself may not be installed. */
async function readCommit(dotGit: string): Promise<string | null> {
  // In a worktree, `.git` is a file that names the folder of the worktree. Branches are in the folder of the clone.
  const worktree = /^gitdir: (.+)$/m.exec(await readGitFile(dotGit))?.[1]
  const gitDir = worktree === undefined ? dotGit : resolve(dotGit, '..', worktree)
  const commonDir = resolve(gitDir, (await readGitFile(join(gitDir, 'commondir'))) || '.')
  const head = await readGitFile(join(gitDir, 'HEAD'))
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  if (!ref) return parseCommit(head)
  const commit = parseCommit(await readGitFile(join(commonDir, ref)))
  if (commit) return commit
  const packed = (await readGitFile(join(commonDir, 'packed-refs'))).split('\n')
  return parseCommit(packed.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0] ?? '')
}

/** The text without the line break at its end; empty if the file cannot be read. */
const readGitFile = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).trimEnd()

const parseCommit = (text: string) => (/^[0-9a-f]{40,64}$/.test(text) ? text : null)
