import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Version {
  readonly version: string
  /** Of the runtime, without a "v". */
  readonly node: string
  /** Of the clone that runs, where it is one. */
  readonly commit: string | null
}

export async function readVersion(root: string): Promise<Version> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return { version, node: process.versions.node, commit: await readCommit(join(root, '.git')) }
}

/** Read from git's own files: git itself need not be installed where the service runs. */
async function readCommit(git: string): Promise<string | null> {
  const read = (name: string) => readFile(join(git, name), 'utf8').catch(() => '')
  const head = (await read('HEAD')).trim()
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  if (!ref) return asCommit(head)
  const loose = asCommit((await read(ref)).trim())
  if (loose) return loose
  const packed = (await read('packed-refs')).split('\n').find((line) => line.endsWith(` ${ref}`))
  return asCommit(packed?.split(' ', 1)[0] ?? '')
}

const asCommit = (text: string) => (/^[0-9a-f]{40,64}$/.test(text) ? text : null)
