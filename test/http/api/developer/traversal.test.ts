// No name leads out of its folder, and no reply reveals what exists elsewhere.
import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseRaw, sendRaw } from '../../../kit/raw-http.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

const BAD_NAMES = [
  '..',
  '../secret.json',
  '../../secret.json',
  'sub/../../secret.json',
  '%2e%2e%2fsecret.json',
  '%2e%2e/secret.json',
  '..%2fsecret.json',
  '..%5csecret.json',
  '..\\secret.json',
  '%252e%252e%252fsecret.json',
  '%c0%ae%c0%ae/secret.json',
  '....//secret.json',
  '.hidden.json',
  'sub/.hidden.log',
  '.',
  './errors.json',
  '/etc/passwd',
  '%2fetc%2fpasswd',
  'link.json',
  'link.log',
  'folder-link/secret.json',
  'errors.json%00',
  'errors.json%00.log',
  'errors.json/',
  'errors.json/x',
  'C:%5cwindows%5cwin.ini',
  'a'.repeat(4096),
  '__proto__',
  'constructor',
  '%F0%9F%90%88.json',
]

describe('a file name that leads out of the folder or to a hidden file', () => {
  const service = forSuite(async (scope) => {
    const started = await startTestService(scope)
    await writeFile(join(started.dataDir, 'secret.json'), '{"secret":1}')
    for (const name of ['generated', 'logs', 'cache']) {
      const folder = join(started.dataDir, name)
      await mkdir(join(folder, 'sub'), { recursive: true })
      await writeFile(join(folder, '.hidden.json'), '{}')
      await writeFile(join(folder, 'sub', '.hidden.log'), '{}')
      await symlink('../secret.json', join(folder, 'link.json'))
      await symlink('../secret.json', join(folder, 'link.log'))
      await symlink('..', join(folder, 'folder-link'))
    }
    return started
  })

  for (const folder of ['generated', 'logs', 'cache']) {
    for (const name of BAD_NAMES) {
      it(`${folder}/${name.slice(0, 40)} is rejected and reveals nothing`, async () => {
        const request = `GET /api/v1/static/${folder}/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
        const reply = parseRaw(await sendRaw(service().url, request))
        const expected = name.startsWith('%c0') ? [400, 'BAD_PATH'] : [404, 'UNKNOWN_FILE']
        if (folder === 'logs' && name.includes('/') && expected[0] === 404) expected[1] = 'UNKNOWN_PATH'
        assert.deepEqual([reply.status, reply.body.code], expected)
        assert.doesNotMatch(JSON.stringify(reply.body), /secret|passwd|root:/)
      })
    }

    it(`${folder} lists only what it serves`, async () => {
      const { body } = await service().fetchJson(`/api/v1/static/${folder}`)
      assert.doesNotMatch(JSON.stringify(body), /hidden|link/)
    })
  }

  it('existing and missing files outside the folder get the same reply', async () => {
    const bodies = await Promise.all(
      ['..%2fsecret.json', '..%2fmissing.json'].map(async (name) => {
        const { body } = await service().fetchJson(`/api/v1/static/generated/${name}`)
        return { ...body, requestId: '' }
      }),
    )
    assert.deepEqual(bodies[0], bodies[1])
  })
})
