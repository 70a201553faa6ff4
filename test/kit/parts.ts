// Parts that only tests need and that npm cannot bring. Where one is missing its tests are skipped, loudly.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const onPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))

export const redisServer = onPath('redis-server')
export const chromium = onPath('chromium') ?? onPath('chromium-browser') ?? onPath('google-chrome')

export const curl = onPath('curl')

const parts = [
  { name: 'redis-server', file: redisServer },
  { name: 'chromium', file: chromium },
  { name: 'curl', file: curl },
  { name: 'ip', file: onPath('ip') },
  { name: 'openssl', file: onPath('openssl') },
  { name: 'zsh', file: onPath('zsh') },
  { name: 'fish', file: onPath('fish') },
]

export const skippedParts = () =>
  parts.filter(({ file }) => !file).map(({ name }) => ({ name, why: `no "${name}" on the PATH` }))
