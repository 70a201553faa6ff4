// `npm run bench -- json` runs bench/json.ts; `npm run check -- packages` runs checks/packages.ts. Without a name, it lists
// the scripts of the folder.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const HELPER_FILES = ['cgroup', 'connection', 'harness', 'pictures', 'probe', 'process-usage']
// The script gets the arguments that follow its folder.
const [folder = ''] = process.argv.splice(2, 1)
const selected = process.argv[2]
const path = join(import.meta.dirname, '..', folder)
const names = globSync('*.ts', { cwd: path })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !HELPER_FILES.includes(name))
  .sort()

if (selected === undefined || !names.includes(selected)) {
  console.log(`Usage: npm run <bench or check> -- <name>\n\nNames in ${folder}/: ${names.join(', ')}`)
  process.exitCode = selected === undefined ? 0 : 1
} else {
  await import(join(path, `${selected}.ts`))
}
