// `npm run bench -- json` runs bench/json.ts; without a name it lists what there is.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const NOT_BENCHES = ['caller', 'harness', 'pictures', 'redis', 'run']
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !NOT_BENCHES.includes(name))
  .sort()

const wanted = process.argv[2]
if (wanted === undefined || !names.includes(wanted)) {
  console.log(`Usage: npm run bench -- <name>\n\nThere are: ${names.join(', ')}`)
  process.exitCode = wanted === undefined ? 0 : 1
} else {
  await import(join(import.meta.dirname, `${wanted}.ts`))
}
