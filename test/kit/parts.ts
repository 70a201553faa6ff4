// Parts that only tests need and that npm cannot bring. Where one is missing its tests are skipped, loudly.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const allOnPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((file) => existsSync(file))
const onPath = (name: string) => allOnPath(name)[0]

export const redisServer = onPath('redis-server')
export const chromium = onPath('chromium') ?? onPath('chromium-browser') ?? onPath('google-chrome')

export const curl = onPath('curl')

/** One that the examples in Python run with; looked for only when asked, for that takes a while. */
export const findPython = () =>
  allOnPath('python3').find((python) => spawnSync(python, ['-c', 'import requests']).status === 0)

const parts = () => [
  { name: 'redis-server', file: redisServer },
  { name: 'chromium', file: chromium },
  { name: 'curl', file: curl },
  { name: 'ip', file: onPath('ip') },
  { name: 'openssl', file: onPath('openssl') },
  { name: 'zsh', file: onPath('zsh') },
  { name: 'fish', file: onPath('fish') },
  { name: 'python3 with requests', file: findPython() },
]

export const skippedParts = () =>
  parts()
    .filter(({ file }) => !file)
    .map(({ name }) => ({ name, why: `no "${name}" on the PATH` }))
