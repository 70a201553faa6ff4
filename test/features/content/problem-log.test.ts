import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProblemLog } from '../../../src/features/content/content.ts'
import { createTestLog } from '../../kit/log.ts'

test('the log names the content folder if it is missing, and each file with a problem', () => {
  const log = createTestLog()
  const problems = createProblemLog(log)
  problems.add({ file: '.', rule: 'missing', message: 'CONTENT_DIR is missing.' })
  problems.add({ file: 'string/a.txt', line: 3, rule: 'empty', message: 'The list is empty.' })
  problems.close()
  assert.deepEqual(log.lines, [
    {
      level: 'warn',
      fields: { file: '.', rule: 'missing' },
      message: 'content: CONTENT_DIR is missing.',
    },
    {
      level: 'warn',
      fields: { file: 'string/a.txt', line: 3, rule: 'empty' },
      message: 'content: string/a.txt has a problem: The list is empty.',
    },
  ])
})
