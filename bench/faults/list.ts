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
import type { Site, SiteOptions } from './site.ts'

export interface Fault extends SiteOptions {
  readonly group: string
  readonly name: string
  begin(site: Site): unknown
  end?(site: Site): unknown
  /** What clients may see, such as a refused connection while there is no process. Default: nothing. */
  readonly allowed?: RegExp
  /** Besides /readyz. */
  readonly healed?: (site: Site) => boolean | Promise<boolean>
  /** Where the fault must be named while it lasts: in /readyz or in what the service prints. */
  readonly reported?: RegExp
}

type Row = Omit<Fault, 'group'>

const NO_PROCESS = /^(ECONNREFUSED|ECONNRESET|connection cut|socket hang up|EPIPE)$/

const kill = (pid: number, signal: NodeJS.Signals) => {
  if (isAlive(pid)) process.kill(pid, signal)
}
const children = (site: Site) => readChildren(site.service().pid)
const app = (site: Site, ...names: string[]) => join(site.contentDir, 'app', ...names)
const restart = async (site: Site) => {
  await site.stop()
  await site.start()
}
const moveAway = (path: string) => rename(path, `${path}.away`)
const moveBack = async (path: string) => {
  await rm(path, { recursive: true, force: true })
  await rename(`${path}.away`, path)
}
/** Replaces a file or folder until the fault ends. */
const replace = (path: (site: Site) => string, write: (path: string) => unknown) => ({
  begin: async (site: Site) => {
    await cp(path(site), `${path(site)}.away`, { recursive: true })
    await write(path(site))
  },
  end: (site: Site) => moveBack(path(site)),
})

const processFaults: Row[] = [
  { name: 'SIGKILL of the service', begin: (site) => site.kill(), end: (site) => site.start(), allowed: NO_PROCESS },
  {
    name: 'SIGTERM, then a new start',
    begin: (site) => site.stop(),
    end: (site) => site.start(),
    allowed: /^ECONNREFUSED$/,
  },
  {
    name: 'SIGKILL during the start',
    begin: async (site) => {
      await site.kill()
      void site.start().catch(() => {})
      await until(() => site.service().pid > 0)
      await sleep(150)
      await site.kill()
    },
    end: (site) => site.start(),
    allowed: NO_PROCESS,
  },
  {
    name: 'the service is paused for two seconds',
    begin: async (site) => {
      kill(site.service().pid, 'SIGSTOP')
      await sleep(2000)
      kill(site.service().pid, 'SIGCONT')
    },
  },
  {
    name: 'a second service is started on the data folder',
    begin: async (site) => {
      const second = spawn(process.execPath, [PROGRAM, 'serve'], {
        env: { ...process.env, ...site.environment, PORT: '0' },
      })
      const code = await new Promise((resolve) => second.once('exit', resolve))
      if (code === 0) throw new Error('the second service was not refused')
    },
  },
  {
    name: 'SIGKILL of all image processes',
    begin: async (site) => {
      for (const pid of await children(site)) kill(pid, 'SIGKILL')
    },
    allowed: /^422$/,
  },
  {
    name: 'all image processes hang',
    begin: async (site) => {
      for (const pid of await children(site)) kill(pid, 'SIGSTOP')
      await sleep(3000)
    },
    allowed: /^503$/,
  },
]

const workerFaults: Row[] = [
  {
    name: 'SIGKILL of a worker',
    begin: async (site) => kill((await children(site))[0]!, 'SIGKILL'),
    reported: /worker died/i,
  },
  {
    name: 'SIGKILL of both workers',
    begin: async (site) => {
      for (const pid of await children(site)) kill(pid, 'SIGKILL')
    },
    reported: /worker died/i,
  },
  {
    name: 'SIGKILL of the primary',
    begin: (site) => site.kill(),
    end: async (site) => {
      await sleep(500)
      await site.start()
    },
  },
  { name: 'SIGTERM of the primary, then a new start', begin: (site) => site.stop(), end: (site) => site.start() },
  {
    name: 'SIGHUP: the workers are replaced',
    begin: (site) => kill(site.service().pid, 'SIGHUP'),
    allowed: /(?!)/,
    end: () => sleep(6000),
  },
  {
    name: 'a worker hangs',
    begin: async (site) => kill((await children(site))[0]!, 'SIGSTOP'),
    reported: /does not answer and is killed/,
  },
]

const damaged = Buffer.from('this is not a database'.repeat(400))
const hasFiles =
  (...names: string[]) =>
  async (site: Site) => {
    const lists = await Promise.all(names.map((name) => readdir(join(site.dataDir, name)).catch(() => [])))
    return lists.every(({ length }) => length > 0)
  }
const sqlite = (site: Site) => join(site.dataDir, 'menagerie.sqlite')

const diskFaults: Row[] = [
  {
    name: 'the disk is full',
    diskBytes: 24 * 2 ** 20,
    begin: async (site) => {
      const { bavail, bsize } = statfsSync(site.dataDir)
      await writeFile(join(site.dataDir, '..', 'filler'), Buffer.alloc(bavail * bsize)).catch(() => {})
    },
    end: (site) => rm(join(site.dataDir, '..', 'filler')),
    reported: /"part":"(log|downloads|store|filters)"/,
  },
  {
    name: 'SIGKILL while the disk is full',
    diskBytes: 24 * 2 ** 20,
    begin: async (site) => {
      const { bavail, bsize } = statfsSync(site.dataDir)
      await writeFile(join(site.dataDir, '..', 'filler'), Buffer.alloc(bavail * bsize)).catch(() => {})
      await sleep(2000)
      await site.kill()
    },
    end: async (site) => {
      await rm(join(site.dataDir, '..', 'filler'))
      await site.start()
    },
    allowed: NO_PROCESS,
  },
  {
    name: 'the data folder is removed',
    begin: (site) => rm(site.dataDir, { recursive: true, force: true, maxRetries: 20 }),
    healed: hasFiles('logs', 'generated', 'counts'),
    reported: /"part":"(log|store|service|downloads)"|data folder/i,
  },
  {
    name: 'the log folder is removed',
    begin: (site) => rm(join(site.dataDir, 'logs'), { recursive: true, force: true }),
    healed: hasFiles('logs'),
  },
  {
    name: 'generated files are deleted',
    begin: (site) => rm(join(site.dataDir, 'generated'), { recursive: true, force: true }),
    healed: hasFiles('generated'),
  },
  {
    name: 'cached results are deleted',
    begin: (site) => rm(join(site.dataDir, 'results'), { recursive: true, force: true }),
  },
  {
    name: 'cached results are damaged',
    begin: async (site) => {
      const folder = join(site.dataDir, 'results')
      for (const name of await readdir(folder, { recursive: true }).catch(() => []))
        await writeFile(join(folder, name), damaged).catch(() => {})
    },
  },
  { name: 'the SQLite file is deleted', begin: (site) => rm(sqlite(site)), reported: /"part":"store"|sqlite/i },
  {
    name: 'the SQLite file is overwritten',
    begin: (site) => writeFile(sqlite(site), damaged),
    reported: /"part":"store"|sqlite/i,
  },
  { name: 'the SQLite file is truncated', begin: (site) => truncate(sqlite(site)), reported: /"part":"store"|sqlite/i },
  {
    name: 'a file is in the place of the log folder',
    ...replace(
      (site) => join(site.dataDir, 'logs'),
      async (path) => {
        await rm(path, { recursive: true })
        await writeFile(path, '')
      },
    ),
    reported: /"part":"log"|log/,
  },
]

const sockets: Socket[] = []
const openSockets = async (site: Site, count: number, text: string) => {
  const { port, hostname } = new URL(site.url)
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
const filterBurst = async ({ url, picture }: Site) => {
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
    begin: (site) => openSockets(site, 900, ''),
    end: closeSockets,
  },
  {
    name: '300 requests without an end',
    settings: { CONNECTIONS_PER_ADDRESS: '0' },
    begin: (site) => openSockets(site, 300, 'GET / HTTP/1.1\r\nHost: x\r\nX-A: '),
    end: closeSockets,
  },
  {
    name: '900 connections with 200 file descriptors',
    settings: { CONNECTIONS_PER_ADDRESS: '0' },
    maxDescriptors: 200,
    begin: (site) => openSockets(site, 900, ''),
    end: closeSockets,
    allowed: NO_PROCESS,
  },
]

/** The clock of the service is moved by a module that it loads; it reads the offset from a file. */
const clockFault = (name: string, offsetMs: number): Row => ({
  name,
  movesClock: true,
  begin: async (site) => {
    await writeFile(join(site.folder, 'clock'), String(offsetMs))
    await sleep(2500)
  },
  end: (site) => writeFile(join(site.folder, 'clock'), '0'),
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
    begin: (site) => site.redis?.kill(),
    end: (site) => site.redis?.start(),
    reported: STORE_REPORTED,
  },
  {
    name: 'paused',
    begin: (site) => site.redis?.pause(),
    end: (site) => site.redis?.resume(),
    reported: STORE_REPORTED,
  },
  {
    name: 'slow (400 ms)',
    begin: async (site) => {
      site.proxy!.delayMs = 400
      await sleep(2500)
    },
    end: (site) => {
      site.proxy!.delayMs = 0
    },
  },
  {
    name: 'out of memory',
    begin: (site) => site.redis?.command('CONFIG SET maxmemory 1'),
    end: (site) => site.redis?.command('CONFIG SET maxmemory 0'),
    reported: STORE_REPORTED,
  },
  {
    name: 'a read-only replica',
    begin: (site) => site.redis?.command('REPLICAOF 127.0.0.1 1'),
    end: (site) => site.redis?.command('REPLICAOF NO ONE'),
    reported: STORE_REPORTED,
  },
  {
    name: 'every connection is cut',
    begin: async (site) => {
      for (let i = 0; i < 10; i++) {
        await site.redis?.command('CLIENT KILL TYPE normal SKIPME yes')
        await sleep(200)
      }
    },
  },
  {
    name: 'another password',
    begin: async (site) => {
      await site.redis?.command('CONFIG SET requirepass secret')
      await site.redis?.command('AUTH secret\r\nCLIENT KILL TYPE normal SKIPME yes')
    },
    end: (site) => site.redis?.command('AUTH secret\r\nCONFIG SET requirepass ""'),
    reported: STORE_REPORTED,
  },
  {
    name: 'blocked by a script for three seconds',
    begin: async (site) => {
      void site.redis?.command('DEBUG SLEEP 3').catch(() => {})
      void site.redis
        ?.command("EVAL \"local t=redis.call('TIME')[1]+3 while redis.call('TIME')[1]+0<t do end\" 0")
        .catch(() => {})
      await sleep(3200)
    },
  },
  {
    name: 'killed, with the service killed and started meanwhile',
    begin: async (site) => {
      await site.redis?.kill()
      await sleep(1000)
      await site.kill()
      await site.redis?.start()
      await site.start()
    },
    allowed: NO_PROCESS,
  },
]

const CONTENT_REPORTED = /"part":"(content|releases|blocklist)"/
const empty = async (path: string) => {
  await rm(path, { recursive: true, force: true })
  await mkdir(path)
}
const contentDir = (site: Site) => site.contentDir
const contentFaults: Row[] = [
  {
    name: 'the folder is moved away',
    begin: (site) => moveAway(site.contentDir),
    end: (site) => moveBack(site.contentDir),
    reported: CONTENT_REPORTED,
  },
  { name: 'the folder is emptied', ...replace(contentDir, empty), reported: CONTENT_REPORTED },
  {
    name: 'the folder is emptied, then the service restarts',
    begin: async (site) => {
      await cp(site.contentDir, `${site.contentDir}.away`, { recursive: true })
      await empty(site.contentDir)
      await restart(site)
    },
    end: (site) => moveBack(site.contentDir),
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
      (site) => app(site, 'releases.yaml'),
      (path) => truncate(path),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml is deleted',
    ...replace(
      (site) => app(site, 'releases.yaml'),
      (path) => rm(path),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml is not YAML',
    ...replace(
      (site) => app(site, 'releases.yaml'),
      (path) => writeFile(path, '{ [ :'),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'releases.yaml is half written',
    ...replace(
      (site) => app(site, 'releases.yaml'),
      async (path) => writeFile(path, (await readFile(path)).subarray(0, 300)),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'tiers.yaml has a wrong field',
    ...replace(
      (site) => app(site, 'tiers.yaml'),
      (path) => appendFile(path, '\nnonsense: [1\n'),
    ),
    reported: CONTENT_REPORTED,
  },
  { name: 'the news are deleted', ...replace((site) => app(site, 'news'), empty), reported: CONTENT_REPORTED },
  {
    name: 'the blocklist is emptied',
    ...replace(
      (site) => join(site.contentDir, 'blocklist.txt'),
      (path) => truncate(path),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'the blocklist loses most of its entries',
    ...replace(
      (site) => join(site.contentDir, 'blocklist.txt'),
      (path) => truncate(path, 400),
    ),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'a list is deleted',
    ...replace((site) => join(site.contentDir, 'kaomoji'), empty),
    reported: CONTENT_REPORTED,
  },
  {
    name: 'a damaged picture is added',
    begin: async (site) => {
      await mkdir(join(site.contentDir, 'animals', 'cat'), { recursive: true })
      await writeFile(join(site.contentDir, 'animals', 'cat', 'damaged.png'), damaged)
    },
    end: (site) => rm(join(site.contentDir, 'animals', 'cat'), { recursive: true }),
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
