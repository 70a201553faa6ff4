// `npm run format` fixes format and lint. It is a script, so that it also works in a fresh clone.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const biome = join(ROOT, 'node_modules', '.bin', 'biome')
process.exitCode = spawnSync(biome, ['check', '--write', '.'], { cwd: ROOT, stdio: 'inherit' }).status ?? 1
