import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { checkContent } from '../../../src/features/content/index.ts'
import { writeSettledFiles } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'

test('checkContent resolves even if nothing else keeps the process alive', async (t) => {
  const dir = await temporaryFolder(t)
  await mkdir(join(dir, 'animals/cat'), { recursive: true })
  await writeFile(join(dir, 'animals/cat/fresh.png'), tinyPng(1))
  const module = new URL('../../../src/features/content/index.ts', import.meta.url)
  const script = `import { checkContent } from '${module}'
    console.log((await checkContent(process.argv[1])).catalogue.animals[0].count)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, dir])
  assert.equal(stdout.trim(), '1')
})

test('checkContent finds broken files, duplicates and bad lists', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, {
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/b.png': tinyPng(1),
    'animals/cat/c.png': 'x',
    'animals/dog/a.png': tinyPng(1),
    'string/8ball.txt': 'a\na\n',
  })
  const { problems, catalogue } = await checkContent(dir)
  assert.deepEqual(problems.map(({ file, rule }) => `${file} ${rule}`).sort(), [
    'animals/cat/b.png duplicate',
    'animals/cat/c.png type',
    'string/8ball.txt duplicate',
  ])
  assert.deepEqual(
    catalogue.animals.slice(0, 2).map(({ count }) => count),
    [2, 1],
  )
  assert.equal(catalogue.kaomoji[0]?.count, 0, 'shipped lists are not counted')
})
