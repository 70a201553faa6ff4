// `npm run bench -- json` runs bench/json.ts. Without a name, it lists the benchmarks.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const NOT_BENCHES = ['connection', 'harness', 'pictures', 'run']
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !NOT_BENCHES.includes(name))
  .sort()

const wanted = process.argv[2]
if (wanted === undefined || !names.includes(wanted)) {
  console.log(`Usage: npm run bench -- <name>\n\nBenchmarks: ${names.join(', ')}`)
  process.exitCode = wanted === undefined ? 0 : 1
} else {
  await import(join(import.meta.dirname, `${wanted}.ts`))
}
