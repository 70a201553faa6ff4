// The file of a release is changed while a client downloads it.
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { appendFile, mkdir, open, truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { APP, startApp } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { record, releasesYaml } from '../../../kit/releases.ts'
import { passTurns } from '../../../kit/turns.ts'

/** More than the buffers of a connection hold, so that the file is not read to its end when it changes. */
const SIZE = 64 * 2 ** 20

const sha256 = hash('sha256', Buffer.alloc(SIZE))

const changes: Record<string, (path: string) => Promise<void>> = {
  grows: (path) => appendFile(path, 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled'),
  shrinks: (path) => truncate(path, SIZE / 2),
  'is written over': async (path) => {
    await using file = await open(path, 'r+')
    await file.write(Buffer.alloc(SIZE, 'x'))
  },
  'is written over and keeps its time': async (path) => {
    await using file = await open(path, 'r+')
    const { atime, mtime } = await file.stat()
    await file.write(Buffer.alloc(SIZE, 'x'))
    await file.utimes(atime, mtime)
  },
}

for (const [change, make] of Object.entries(changes)) {
  test(`a file that ${change} during a download never mixes old and new bytes`, async (t) => {
    const contentDir = await temporaryFolder(t)
    const path = join(contentDir, 'app', 'files', 'big.exe')
    await mkdir(join(contentDir, 'app', 'files'), { recursive: true })
    await writeFile(path, '')
    await truncate(path, SIZE)
    const releases = releasesYaml({ launcher: [record('1.0.0', { file: 'big.exe', bytes: SIZE, sha256 })] })
    const { url } = await startApp(t, { 'releases.yaml': releases }, { CONTENT_DIR: contentDir })

    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    for (const target of [`${APP}/download/launcher`, '/healthz'])
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const parts: Buffer[] = []
    try {
      // Nothing is read during the change, so the service cannot send the rest before.
      for await (const part of socket) if (parts.push(part) === 1) await make(path)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')
    }
    const received = Buffer.concat(parts)
    const headEnd = received.indexOf('\r\n\r\n') + 4
    assert.match(received.toString('latin1', 0, headEnd), /^HTTP\/1\.1 200 OK\r\n/)
    const body = received.subarray(headEnd)
    assert.ok(body.length < SIZE)
    assert.ok(body.equals(Buffer.alloc(body.length)))
  })
}

test('a client that reads slowly gets the bytes of the file, also twice on one connection', async (t) => {
  const bytes = randomBytes(5_000_000)
  const contentDir = await temporaryFolder(t)
  await mkdir(join(contentDir, 'app', 'files'), { recursive: true })
  await writeFile(join(contentDir, 'app', 'files', 'random.exe'), bytes)
  const published = { file: 'random.exe', bytes: bytes.length, sha256: hash('sha256', bytes) }
  const releases = releasesYaml({ launcher: [record('1.0.0', published)] })
  const { url } = await startApp(t, { 'releases.yaml': releases }, { CONTENT_DIR: contentDir })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const request = `GET ${APP}/download/launcher HTTP/1.1\r\nHost: x\r\n`
  socket.write(`${request}\r\n${request}Connection: close\r\n\r\n`)
  const parts: Buffer[] = []
  // The service has time to read ahead after each part.
  for await (const part of socket) if (parts.push(part) % 8 === 0) await passTurns()
  const received = Buffer.concat(parts)
  const first = received.indexOf('\r\n\r\n') + 4
  assert.ok(received.subarray(first, first + bytes.length).equals(bytes))
  assert.ok(received.subarray(-bytes.length).equals(bytes))
})
