import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemLog } from '../../../src/features/content/problem-log.ts'
import { rememberingLog } from '../../kit/log.ts'

test('the log names the content folder where it is away, and says what is wrong once', () => {
  const log = rememberingLog()
  const problems = problemLog(log, '/srv/content')
  problems.notice({ file: '.', rule: 'missing', message: 'The folder is missing.' })
  problems.notice({ file: 'string/a.txt', line: 3, rule: 'empty', message: 'The list is empty.' })
  problems.close()
  assert.deepEqual(log.lines, [
    {
      level: 'warn',
      fields: { file: '.', rule: 'missing' },
      message: 'content: the folder /srv/content is not served as it is: The folder is missing.',
    },
    {
      level: 'warn',
      fields: { file: 'string/a.txt', line: 3, rule: 'empty' },
      message: 'content: string/a.txt is not served as it is: The list is empty.',
    },
  ])
})
