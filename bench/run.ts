// `npm run bench -- json` runs bench/json.ts. Without a name, it lists the benchmarks.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const HELPER_FILES = ['cgroup', 'connection', 'harness', 'pictures', 'probe', 'process-usage', 'run']
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !HELPER_FILES.includes(name))
  .sort()

const selected = process.argv[2]
if (selected === undefined || !names.includes(selected)) {
  console.log(`Usage: npm run bench -- <name>\n\nBenchmarks: ${names.join(', ')}`)
  process.exitCode = selected === undefined ? 0 : 1
} else {
  await import(join(import.meta.dirname, `${selected}.ts`))
}
