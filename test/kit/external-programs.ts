// Programs that only tests need and that npm cannot install. Without them, their tests are skipped with a message.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const findAllOnPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((file) => existsSync(file))
const findOnPath = (name: string) => findAllOnPath(name)[0]

export const redisServer = findOnPath('redis-server')
/** The headless shell is the same browser without its windows, and takes a quarter less CPU time. */
export const chromium = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map(findOnPath)
  .find(Boolean)

export const curl = findOnPath('curl')
export const jq = findOnPath('jq')
export const nginx = findOnPath('nginx')
export const caddy = findOnPath('caddy')

/** A Python that can run the examples. A function, because the search takes a while. */
export const findPython = () =>
  findAllOnPath('python3').find((python) => spawnSync(python, ['-c', 'import requests']).status === 0)

const listPrograms = () => [
  { name: 'redis-server', file: redisServer },
  { name: 'chromium', file: chromium },
  { name: 'curl', file: curl },
  { name: 'jq', file: jq },
  { name: 'nginx', file: nginx },
  { name: 'caddy', file: caddy },
  { name: 'ip', file: findOnPath('ip') },
  { name: 'openssl', file: findOnPath('openssl') },
  { name: 'zsh', file: findOnPath('zsh') },
  { name: 'fish', file: findOnPath('fish') },
  { name: 'python3 with requests', file: findPython() },
]

export const listMissingPrograms = () =>
  listPrograms()
    .filter(({ file }) => !file)
    .map(({ name }) => ({ name, why: `no "${name}" on the PATH` }))
