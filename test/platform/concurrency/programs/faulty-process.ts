// A process that does what the task says.
import { execFileSync } from 'node:child_process'
import { pbkdf2 } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
// Not through index.ts, which takes as long to load as Node takes to start.
import { serveTasks, type TaskLimits } from '../../../../src/platform/concurrency/serve-tasks.ts'
import { keepThreadBusy } from '../../../kit/turns.ts'

const memory: Buffer[] = []
const forever = new Promise<never>(() => {})

const attempts: Record<string, () => unknown> = {
  'read the program': () => readFileSync(import.meta.filename),
  'read a system file': () => readFileSync('/etc/hosts'),
  'write a file': () => writeFileSync(join(tmpdir(), 'menagerie-test-write'), ''),
  'start a process': () => execFileSync(process.execPath, ['--version']),
  'listen on a port': () => createServer().listen(0).close(),
}

const succeeds = (attempt: () => unknown) => {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** Writes a message as it is, and no answer after it. */
function write(jsonLength: number, bytesLength: number, json: string) {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(jsonLength)
  head.writeUInt32LE(bytesLength, 4)
  process.stdout.write(Buffer.concat([head, Buffer.from(json)]))
  return forever
}

// In another thread, as native code would.
const compute = () => new Promise(() => pbkdf2('', '', 1e9, 64, 'sha512', () => {}))

const actions: Record<string, (bytes: Uint8Array, limits: TaskLimits) => unknown> = {
  'answer with its bytes': (bytes) => ({ bytes }),
  hang() {
    for (;;);
  },
  'never answer': () => forever,
  async 'work for long'() {
    for (;;) {
      keepThreadBusy(5)
      await delay(500)
    }
  },
  exit: () => process.exit(3),
  'answer later': () => delay(150, 'done'),
  'answer with its id': () => process.pid,
  'answer with its id after 2 s': () => delay(2000, process.pid),
  'work for 100 ms'() {
    keepThreadBusy(100)
  },
  compute(_, limits) {
    limits.maxCpuMs = 300
    return compute()
  },
  'compute for several turns'(_, limits) {
    limits.maxTurnMs = 100
    return compute()
  },
  allocate: () => memory.push(Buffer.alloc(300e6, 1)) && forever,
  'keep memory': () => memory.push(Buffer.alloc(190 * 2 ** 20, 1)),
  'announce 4 GB': () => write(2, 2 ** 32 - 1, '{}'),
  'announce more than planned': () => write(2, 1001, '{}'),
  'announce and exit'() {
    void write(2, 1000, '{}')
    process.exit()
  },
  'announce 4 GB of JSON': () => write(2 ** 32 - 1, 0, '{}'),
  'send broken JSON': () => write(2, 0, '{{'),
  'send null': () => write(4, 0, 'null'),
  'report what is possible': () => ({
    environment: Object.keys(process.env)
      .filter((name) => !name.startsWith('NODE_'))
      .sort(),
    succeeded: Object.keys(attempts).filter((name) => succeeds(attempts[name]!)),
  }),
}

serveTasks<{ action: string; bytes: Uint8Array }, unknown>({
  // Allocating the memory may take half a second of CPU time.
  limits: { maxBytes: 200 * 2 ** 20, maxCpuMs: 2000 },
  maxIdleBytes: 100 * 2 ** 20,
  run: async ({ action, bytes }, limits) => (await actions[action]?.(bytes, limits)) ?? 'done',
  buildLimitAnswer: (limit: keyof TaskLimits) => limit,
})
