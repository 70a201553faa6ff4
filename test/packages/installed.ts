import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { temporaryFolder } from '../kit/folder.ts'
import { ROOT } from '../kit/root.ts'
import type { Scope } from '../kit/scope.ts'

/** npm with the Node that runs the tests; nothing is asked of a registry. */
function npm(cwd: string, ...args: string[]): string {
  const env = { ...process.env, PATH: dirname(process.execPath) + delimiter + process.env.PATH }
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], { cwd, env })
  assert.equal(status, 0, `npm ${args[0]}: ${stdout}${stderr}`)
  return String(stdout)
}

/** A project with nothing in it but the package as npm makes it. */
export async function installPackage(t: Scope, name: string): Promise<{ folder: string; files: string[] }> {
  const folder = await temporaryFolder(t)
  const [{ filename, files }] = JSON.parse(
    npm(join(ROOT, 'packages', name), 'pack', '--json', '--pack-destination', folder),
  )
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  npm(folder, 'install', join(folder, filename))
  return { folder, files: files.map(({ path }: { path: string }) => path) }
}
