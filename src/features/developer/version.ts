import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Version {
  readonly version: string
  /** Version of Node, without a "v". */
  readonly node: string
  /** Commit of the git clone that runs; null: not a clone. */
  readonly commit: string | null
}

export async function readVersion(root: string): Promise<Version> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return { version, node: process.versions.node, commit: await readCommit(join(root, '.git')) }
}

/** Reads the files of git, because git itself may not be installed. */
async function readCommit(gitDir: string): Promise<string | null> {
  const readGitFile = (name: string) => readFile(join(gitDir, name), 'utf8').catch(() => '')
  const head = (await readGitFile('HEAD')).trim()
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  if (!ref) return parseCommit(head)
  const commit = parseCommit((await readGitFile(ref)).trim())
  if (commit) return commit
  const packed = (await readGitFile('packed-refs')).split('\n').find((line) => line.endsWith(` ${ref}`))
  return parseCommit(packed?.split(' ', 1)[0] ?? '')
}

const parseCommit = (text: string) => (/^[0-9a-f]{40,64}$/.test(text) ? text : null)
