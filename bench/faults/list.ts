// The faults: how each begins and ends, what clients may notice, and what the service must report.
import { spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROGRAM } from '../../test/kit/root.ts'
import { isAlive, readChildren } from '../../test/kit/service-process.ts'
import { until } from '../../test/kit/until.ts'
import type { ServiceUnderTest, ServiceUnderTestOptions } from './service-under-test.ts'

export interface Fault extends ServiceUnderTestOptions {
  readonly group: string
  readonly name: string
  begin(target: ServiceUnderTest): unknown
  end?(target: ServiceUnderTest): unknown
  /** What clients may see, such as a refused connection while there is no process. Default: nothing. */
  readonly allowed?: RegExp
  /** Besides /readyz. */
  readonly healed?: (target: ServiceUnderTest) => boolean | Promise<boolean>
  /** Where the fault must be named while it lasts: in /readyz or in what the service prints. */
  readonly reported?: RegExp
}

type Row = Omit<Fault, 'group'>

const NO_PROCESS = /^(ECONNREFUSED|ECONNRESET|connection cut|socket hang up|EPIPE)$/

const kill = (pid: number, signal: NodeJS.Signals) => {
  if (isAlive(pid)) process.kill(pid, signal)
}
const children = (target: ServiceUnderTest) => readChildren(target.service().pid)
const app = (target: ServiceUnderTest, ...names: string[]) => join(target.contentDir, 'app', ...names)
const restart = async (target: ServiceUnderTest) => {
  await target.stop()
  await target.start()
}
const moveAway = (path: string) => rename(path, `${path}.away`)
const moveBack = async (path: string) => {
  await rm(path, { recursive: true, force: true })
  await rename(`${path}.away`, path)
}
/** Replaces a file or folder until the fault ends. */
const replace = (path: (target: ServiceUnderTest) => string, write: (path: string) => unknown) => ({
  begin: async (target: ServiceUnderTest) => {
    await cp(path(target), `${path(target)}.away`, { recursive: true })
    await write(path(target))
  },
  end: (target: ServiceUnderTest) => moveBack(path(target)),
})

const processFaults: Row[] = [
  {
    name: 'SIGKILL of the service',
    begin: (target) => target.kill(),
    end: (target) => target.start(),
    allowed: NO_PROCESS,
  },
  {
    name: 'SIGTERM, then a new start',
    begin: (target) => target.stop(),
    end: (target) => target.start(),
    allowed: /^ECONNREFUSED$/,
  },
  {
    name: 'SIGKILL during the start',
    begin: async (target) => {
      await target.kill()
      void target.start().catch(() => {})
      await until(() => target.service().pid > 0)
      await sleep(150)
      await target.kill()
    },
    end: (target) => target.start(),
    allowed: NO_PROCESS,
  },
  {
    name: 'the service is paused for two seconds',
    begin: async (target) => {
      kill(target.service().pid, 'SIGSTOP')
      await sleep(2000)
      kill(target.service().pid, 'SIGCONT')
    },
  },
  {
    name: 'a second service is started on the data folder',
    begin: async (target) => {
      const second = spawn(process.execPath, [PROGRAM, 'serve'], {
        env: { ...process.env, ...target.environment, PORT: '0' },
      })
      const code = await new Promise((resolve) => second.once('exit', resolve))
      if (code === 0) throw new Error('the second service was not refused')
    },
  },
  {
    name: 'SIGKILL of all image processes',
    begin: async (target) => {
      for (const pid of await children(target)) kill(pid, 'SIGKILL')
    },
    allowed: /^422$/,
  },
  {
    name: 'all image processes hang',
    begin: async (target) => {
      for (const pid of await children(target)) kill(pid, 'SIGSTOP')
      await sleep(3000)
    },
    allowed: /^503$/,
  },
]

const workerFaults: Row[] = [
  {
    name: 'SIGKILL of a worker',
    begin: async (target) => kill((await children(target))[0]!, 'SIGKILL'),
    reported: /worker died/i,
  },
  {
    name: 'SIGKILL of both workers',
    begin: async (target) => {
      for (const pid of await children(target)) kill(pid, 'SIGKILL')
    },
    reported: /worker died/i,
  },
  {
    name: 'SIGKILL of the primary',
    begin: (target) => target.kill(),
    end: async (target) => {
      await sleep(500)
      await target.start()
    },
  },
  {
    name: 'SIGTERM of the primary, then a new start',
    begin: (target) => target.stop(),
    end: (target) => target.start(),
  },
  {
    name: 'SIGHUP: the workers are replaced',
    begin: (target) => kill(target.service().pid, 'SIGHUP'),
    allowed: /(?!)/,
    end: () => sleep(6000),
  },
  {
    name: 'a worker hangs',
    begin: async (target) => kill((await children(target))[0]!, 'SIGSTOP'),
    reported: /does not answer and is killed/,
  },
]

const damaged = Buffer.from('this is not a database'.repeat(400))
const hasFiles =
  (...names: string[]) =>
  async (target: ServiceUnderTest) => {
    const lists = await Promise.all(names.map((name) => readdir(join(target.dataDir, name)).catch(() => [])))
    return lists.every(({ length }) => length > 0)
  }
const sqlite = (target: ServiceUnderTest) => join(target.dataDir, 'menagerie.sqlite')

const diskFaults: Row[] = [
  {
    name: 'the disk is full',
    diskBytes: 24 * 2 ** 20,
    begin: async (target) => {
      const { bavail, bsize } = statfsSync(target.dataDir)
      await writeFile(join(target.dataDir, '..', 'filler'), Buffer.alloc(bavail * bsize)).catch(() => {})
    },
    end: (target) => rm(join(target.dataDir, '..', 'filler')),
    reported: /"part":"(log|downloads|store|filters)"/,
  },
  {
    name: 'SIGKILL while the disk is full',
    diskBytes: 24 * 2 ** 20,
    begin: async (target) => {
      const { bavail, bsize } = statfsSync(target.dataDir)
      await writeFile(join(target.dataDir, '..', 'filler'), Buffer.alloc(bavail * bsize)).catch(() => {})
      await sleep(2000)
      await target.kill()
    },
    end: async (target) => {
      await rm(join(target.dataDir, '..', 'filler'))
      await target.start()
    },
    allowed: NO_PROCESS,
  },
  {
    name: 'the data folder is removed',
    begin: (target) => rm(target.dataDir, { recursive: true, force: true, maxRetries: 20 }),
    healed: hasFiles('logs', 'generated', 'counts'),
    reported: /"part":"(log|store|service|downloads)"|data folder/i,
  },
  {
    name: 'the log folder is removed',
    begin: (target) => rm(join(target.dataDir, 'logs'), { recursive: true, force: true }),
    healed: hasFiles('logs'),
  },
  {
    name: 'generated files are deleted',
    begin: (target) => rm(join(target.dataDir, 'generated'), { recursive: true, force: true }),
    healed: hasFiles('generated'),
  },
  {
    name: 'cached results are deleted',
    begin: (target) => rm(join(target.dataDir, 'results'), { recursive: true, force: true }),
  },
  {
    name: 'cached results are damaged',
    begin: async (target) => {
      const folder = join(target.dataDir, 'results')
      for (const name of await readdir(folder, { recursive: true }).catch(() => []))
        await writeFile(join(folder, name), damaged).catch(() => {})
    },
  },
  { name: 'the SQLite file is deleted', begin: (target) => rm(sqlite(target)), reported: /"part":"store"|sqlite/i },
  {
    name: 'the SQLite file is overwritten',
    begin: (target) => writeFile(sqlite(target), damaged),
    reported: /"part":"store"|sqlite/i,
  },
  {
    name: 'the SQLite file is truncated',
    begin: (target) => truncate(sqlite(target)),
    reported: /"part":"store"|sqlite/i,
  },
  {
    name: 'a file is in the place of the log folder',
    ...replace(
      (target) => join(target.dataDir, 'logs'),
      async (path) => {
        await rm(path, { recursive: true })
        await writeFile(path, '')
      },
    ),
    reported: /"part":"log"|log/,
  },
]

const sockets: Socket[] = []
const openSockets = async (target: ServiceUnderTest, count: number, text: string) => {
  const { port, hostname } = new URL(target.url)
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.write(text)
    sockets.push(socket)
  }
  await sleep(1500)
}
const closeSockets = () => {
  for (const socket of sockets.splice(0)) socket.destroy()
}
const filterBurst = async ({ url, picture }: ServiceUnderTest) => {
  const requests = Array.from({ length: 60 }, (_, i) =>
    fetch(`${url}/api/v2/filter/blur?strength=${i + 1}&width=${900 + i}&image=${encodeURIComponent(picture)}`).then(
      (reply) => reply.arrayBuffer(),
    ),
  )
  await Promise.allSettled(requests)
}

const resourceFaults: Row[] = [
  {
    name: '60 filters at once with 256 MB',
    settings: { MEMORY_LIMIT: String(256 * 2 ** 20) },
    begin: filterBurst,
    allowed: /^503$/,
  },
  {
    name: '900 idle connections',
    settings: { CONNECTIONS_PER_ADDRESS: '0' },
    begin: (target) => openSockets(target, 900, ''),
    end: closeSockets,
  },
  {
    name: '300 requests without an end',
    settings: { CONNECTIONS_PER_ADDRESS: '0' },
    begin: (target) => openSockets(target, 300, 'GET / HTTP/1.1\r\nHost: x\r\nX-A: '),
    end: closeSockets,
  },
  {
    name: '900 connections with 200 file descriptors',
    settings: { CONNECTIONS_PER_ADDRESS: '0' },
    maxDescriptors: 200,
    begin: (target) => openSockets(target, 900, ''),
    end: closeSockets,
    allowed: NO_PROCESS,
  },
]

/** The clock of the service is moved by a module that it loads; it reads the offset from a file. */
const clockFault = (name: string, offsetMs: number): Row => ({
  name,
  movesClock: true,
  begin: async (target) => {
    await writeFile(join(target.folder, 'clock'), String(offsetMs))
    await sleep(2500)
  },
  end: (target) => writeFile(join(target.folder, 'clock'), '0'),
  reported: /the clock was set/,
})

const HOUR_MS = 3_600_000
const clockFaults = [
  clockFault('the clock jumps an hour ahead', HOUR_MS),
  clockFault('the clock jumps an hour back', -HOUR_MS),
  clockFault('the clock jumps a day ahead', 24 * HOUR_MS),
]

const STORE_REPORTED = /"part":"store"/
const redisFaults: Row[] = [
  {
    name: 'killed and started again',
    begin: (target) => target.redis?.kill(),
    end: (target) => target.redis?.start(),
    reported: STORE_REPORTED,
  },
  {
    name: 'paused',
    begin: (target) => target.redis?.pause(),
    end: (target) => target.redis?.resume(),
    reported: STORE_REPORTED,
  },
  {
    name: 'slow (400 ms)',
    begin: async (target) => {
      target.proxy!.delayMs = 400
      await sleep(2500)
    },
    end: (target) => {
      target.proxy!.delayMs = 0
    },
  },
  {
    name: 'out of memory',
    begin: (target) => target.redis?.command('CONFIG SET maxmemory 1'),
    end: (target) => target.redis?.command('CONFIG SET maxmemory 0'),
    reported: STORE_REPORTED,
  },
  {
    name: 'a read-only replica',
    begin: (target) => target.redis?.command('REPLICAOF 127.0.0.1 1'),
    end: (target) => target.redis?.command('REPLICAOF NO ONE'),
    reported: STORE_REPORTED,
  },
  {
    name: 'every connection is cut',
    begin: async (target) => {
      for (let i = 0; i < 10; i++) {
        await target.redis?.command('CLIENT KILL TYPE normal SKIPME yes')
        await sleep(200)
      }
    },
  },
  {
    name: 'another password',
    begin: async (target) => {
      await target.redis?.command('CONFIG SET requirepass secret')
      await target.redis?.command('AUTH secret\r\nCLIENT KILL TYPE normal SKIPME yes')
    },
    end: (target) => target.redis?.command('AUTH secret\r\nCONFIG SET requirepass ""'),
    reported: STORE_REPORTED,
  },
  {
    name: 'blocked by a script for three seconds',
    begin: async (target) => {
      void target.redis?.command('DEBUG SLEEP 3').catch(() => {})
      void target.redis
        ?.command("EVAL \"local t=redis.call('TIME')[1]+3 while redis.call('TIME')[1]+0<t do end\" 0")
        .catch(() => {})
      await sleep(3200)
    },
  },
  {
    name: 'killed, with the service killed and started meanwhile',
    begin: async (target) => {
      await target.redis?.kill()
      await sleep(1000)
      await target.kill()
      await target.redis?.start()
      await target.start()
    },
    allowed: NO_PROCESS,
  },
]

const CONTENT_REPORTED = /"part":"(content|releases|blocklist)"/
const empty = async (path: string) => {
  await rm(path, { recursive: true, force: true })
  await mkdir(path)
}
const contentDir = (target: ServiceUnderTest) => target.contentDir
const contentFaults: Row[] = [
  {
    name: 'the folder is moved away',
    begin: (target) => moveAway(target.contentDir),
    end: (target) => moveBack(target.contentDir),
    reported: CONTENT_REPORTED,
  },
  { name: 'the folder is emptied', ...replace(contentDir, empty), reported: CONTENT_REPORTED },
  {
    name: 'the folder is emptied, then the service restarts',
    begin: async (target) => {
      await cp(target.contentDir, `${target.contentDir}.away`, { recursive: true })
      await empty(target.contentDir)
      await restart(target)
    },
    end: (target) => moveBack(target.contentDir),
    allowed: /^ECONNREFUSED$/,
    reported: CONTENT_REPORTED,
  },
  {
    name: 'a file is in the place of the folder',
    ...replace(contentDir, async (path) => {
      await rm(path, { recursive: true })
      await writeFile(path, '')
    }),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml has 0 bytes',
    ...replace(
      (target) => app(target, 'releases.yaml'),
      (path) => truncate(path),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml is deleted',
    ...replace(
      (target) => app(target, 'releases.yaml'),
      (path) => rm(path),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml is not YAML',
    ...replace(
      (target) => app(target, 'releases.yaml'),
      (path) => writeFile(path, '{ [ :'),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml is half written',
    ...replace(
      (target) => app(target, 'releases.yaml'),
      async (path) => writeFile(path, (await readFile(path)).subarray(0, 300)),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'tiers.yaml has a wrong field',
    ...replace(
      (target) => app(target, 'tiers.yaml'),
      (path) => appendFile(path, '\nnonsense: [1\n'),
    ),
    reported: CONTENT_REPORTED,
  },
  { name: 'the news are deleted', ...replace((target) => app(target, 'news'), empty), reported: CONTENT_REPORTED },
  {
    name: 'the blocklist is emptied',
    ...replace(
      (target) => join(target.contentDir, 'blocklist.txt'),
      (path) => truncate(path),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'the blocklist loses most of its entries',
    ...replace(
      (target) => join(target.contentDir, 'blocklist.txt'),
      (path) => truncate(path, 400),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'a list is deleted',
    ...replace((target) => join(target.contentDir, 'kaomoji'), empty),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'a damaged picture is added',
    begin: async (target) => {
      await mkdir(join(target.contentDir, 'animals', 'cat'), { recursive: true })
      await writeFile(join(target.contentDir, 'animals', 'cat', 'damaged.png'), damaged)
    },
    end: (target) => rm(join(target.contentDir, 'animals', 'cat'), { recursive: true }),
    reported: CONTENT_REPORTED,
  },
]

const inGroup = (group: string, rows: readonly Row[], defaults: Partial<Row> = {}): Fault[] =>
  rows.map((row) => ({ group, ...defaults, ...row }))

export const faults: readonly Fault[] = [
  ...inGroup('process', processFaults),
  ...inGroup('workers', workerFaults, { store: 'redis', workers: 2, allowed: NO_PROCESS }),
  ...inGroup('disk', diskFaults),
  ...inGroup('memory and descriptors', resourceFaults),
  ...inGroup('clock', clockFaults),
  ...inGroup('Redis', redisFaults, { store: 'redis' }),
  ...inGroup('content', contentFaults),
]
