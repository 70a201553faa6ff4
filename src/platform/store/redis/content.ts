// The published content in Redis, which all nodes share: a manifest of all files, their bytes, and the latest changes.
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../logging/index.ts'
import type { ContentFile, SharedContent } from '../shared-content.ts'
import { connectRedis } from './connection.ts'
import { choosePartition, PREFIX, partitions, readFieldsInPages } from './keyspace.ts'
import type { RedisAddress } from './node-redis.ts'

/** Enough for the largest file over a slow network. */
const REPLY_TIMEOUT_MS = 5000
/** Files that no node renews are removed: they are not published any more. */
const FILE_TTL_MS = 24 * 3_600_000
/** Incomplete uploads are removed after this time. */
const UPLOAD_TTL_MS = 3_600_000
const CHUNK = 500
const MAX_CHANGES = 1000
const MAX_CHANGES_BYTES = 64 * 1024 * 1024
/** What an empty file takes in Redis. */
const ENTRY_BYTES = 256
/** A node announces itself more often. */
const NODE_TTL_MS = 10_000
const LOCK_TTL_MS = 15_000
const LOCK_TIMEOUT_MS = 10_000
const LOCK_RETRY_INTERVAL_MS = 50

const META = `${PREFIX}content`
const FILES = `${PREFIX}content:files`
const CHANGES = `${PREFIX}content:changes`
const NODES = `${PREFIX}content:nodes`
const PUTS = `${PREFIX}content:puts`
const LOCK = `${PREFIX}content:lock`

/** Another program may have written it: then nodes that have the content write it again. */
const READ_META = `
  local function readMeta(meta, files)
    local found = redis.call('HMGET', meta, 'lineage', 'sequence', 'head', 'files', 'requests', 'bytes')
    local isValid = found[1] and found[3] and string.match(found[2] or '', '^%d+$') and #found[2] < 16
      and string.match(found[6] or '', '^%d+$')
    return found, isValid and redis.call('HLEN', files) == tonumber(found[4] or '-1')
  end`

const READ = `${READ_META}
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if ARGV[1] ~= '' then
    redis.call('ZADD', KEYS[3], now, ARGV[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ${NODE_TTL_MS})
    local first = redis.call('HGET', KEYS[1], 'firstNode')
    local isGone = not (first and redis.call('ZSCORE', KEYS[3], first))
    if ARGV[2] == '1' and isGone then redis.call('HSET', KEYS[1], 'firstNode', ARGV[1])
    elseif ARGV[2] == '' and (isGone or first == ARGV[1]) then redis.call('HDEL', KEYS[1], 'firstNode') end
  end
  local nodes = redis.call('ZCOUNT', KEYS[3], now - ${NODE_TTL_MS}, '+inf')
  local meta, isComplete = readMeta(KEYS[1], KEYS[2])
  return { meta[1] or '', meta[2] or '0', meta[3] or '', isComplete and '1' or '0', meta[5] or '0', nodes,
    redis.call('HGET', KEYS[1], 'firstNode') or '' }`

/** The first write may be refused, for example without free memory; then nothing was changed. */
const COMMIT = `
  local meta, files, changes = unpack(KEYS)
  local lineage, sequence, head, nextHead, change, maxBytes = unpack(ARGV, 1, 6)
  local current = redis.call('HMGET', meta, 'lineage', 'sequence', 'head', 'bytes')
  if current[1] ~= lineage or current[2] ~= sequence or current[3] ~= head then return 'conflict' end
  local bytes = tonumber(current[4])
  for i = 7, #ARGV, 3 do
    local before = redis.call('HGET', files, ARGV[i])
    if before then bytes = bytes - tonumber(string.match(before, '%d+$')) end
    if ARGV[i + 1] ~= '' then bytes = bytes + tonumber(ARGV[i + 2]) end
  end
  if bytes > tonumber(maxBytes) then return string.format('%.0f', bytes) end
  local nextSequence = string.format('%.0f', tonumber(sequence) + 1)
  redis.call('HSET', changes, nextSequence, change)
  for i = 7, #ARGV, 3 do
    if ARGV[i + 1] == '' then redis.call('HDEL', files, ARGV[i])
    else redis.call('HSET', files, ARGV[i], ARGV[i + 1] .. ' ' .. ARGV[i + 2]) end
  end
  redis.call('HSET', meta, 'sequence', nextSequence, 'head', nextHead, 'files', redis.call('HLEN', files),
    'bytes', string.format('%.0f', bytes))
  local held = redis.call('HINCRBY', meta, 'changesBytes', #change)
  local first = tonumber(redis.call('HGET', meta, 'first') or nextSequence)
  for _ = 1, ${2 * MAX_CHANGES} do
    local count = tonumber(nextSequence) - first
    if count <= 0 or (count < ${MAX_CHANGES} and held <= ${MAX_CHANGES_BYTES}) then break end
    local name = string.format('%.0f', first)
    held = held - redis.call('HSTRLEN', changes, name)
    redis.call('HDEL', changes, name)
    first = first + 1
  end
  redis.call('HSET', meta, 'first', string.format('%.0f', first), 'changesBytes', held)
  return 'done'`

/** Only if there is no complete content, or an older state of the same content. */
const REPLACE = `${READ_META}
  local meta, files, changes, newFiles, newChanges = unpack(KEYS)
  local lineage, sequence, head, bytes, first, changesBytes = unpack(ARGV)
  local current, isComplete = readMeta(meta, files)
  local isOlder = current[1] == lineage and (tonumber(current[2]) or 0) < tonumber(sequence)
  if isComplete and not isOlder then return 0 end
  redis.call('HSET', meta, 'lineage', lineage, 'sequence', sequence, 'head', head, 'bytes', bytes, 'first', first,
    'changesBytes', changesBytes)
  for old, new in pairs({ [files] = newFiles, [changes] = newChanges }) do
    redis.call('UNLINK', old)
    if redis.call('EXISTS', new) == 1 then
      redis.call('RENAME', new, old)
      redis.call('PERSIST', old)
    end
  end
  redis.call('HSET', meta, 'files', redis.call('HLEN', files))
  return 1`

/** Forgets and returns the oldest versions until the others have at most ARGV[3] bytes. */
const RECORD_PUT = `
  local held = redis.call('HINCRBY', KEYS[1], 'putBytes', ARGV[2])
  redis.call('RPUSH', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
  local old = {}
  while held > tonumber(ARGV[3]) do
    local version, size = string.match(redis.call('LPOP', KEYS[2]) or '', '(%S+) (%d+)')
    if not version then
      redis.call('HDEL', KEYS[1], 'putBytes')
      break
    end
    held = redis.call('HINCRBY', KEYS[1], 'putBytes', -size)
    old[#old + 1] = version
  end
  return old`

const UNLOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`
const RENEW_LOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`

/** Of an empty file. For that, Redis replies as if it had none. */
const EMPTY_VERSION = hash('sha256', '', 'base64url')

const keyOf = (version: string) => `${partitions[choosePartition(version)]}content:${version}`

const parseFile = (text: string) => {
  const [version = '', size = ''] = text.split(' ')
  return { version, size: Number(size) }
}

/** Uses a separate connection, so that large files do not delay other calls. */
export function openRedisContent(address: RedisAddress, maxFileBytes: number): SharedContent {
  const redis = connectRedis(address, { log: silentLog, replyTimeoutMs: REPLY_TIMEOUT_MS })
  const evaluate = (script: string, keys: string[], args: (string | number)[]) =>
    redis.run((commands) => commands.eval(script, { keys, arguments: args.map(String) }))

  /** Writes all fields of a new hash in chunks. */
  async function fill(key: string, entries: readonly [string, string][]): Promise<void> {
    for (let start = 0; start < entries.length; start += CHUNK) {
      await redis.run((commands) => commands.hSet(key, entries.slice(start, start + CHUNK).flat()))
      await redis.run((commands) => commands.pExpire(key, UPLOAD_TTL_MS))
    }
  }

  return {
    async position(announcedNode = '', hasFiles = false) {
      const args = [announcedNode, hasFiles ? '1' : '']
      const reply = (await evaluate(READ, [META, FILES, NODES], args)) as (string | number)[]
      const [lineage, sequence, head, isComplete, requests, nodes, firstNode] = reply
      const position = { lineage: String(lineage), sequence: Number(sequence), head: String(head) }
      const isThere = lineage !== '' && isComplete === '1'
      const rest = { nodes: Number(nodes), firstNode: String(firstNode), requests: Number(requests) }
      return { ...(isThere && { position }), ...rest }
    },
    leave: async (node) => void (await evaluate(`redis.call('ZREM', KEYS[1], ARGV[1])`, [NODES], [node])),

    async commit({ lineage, sequence, head }, change, { nextHead, maxBytes, files }) {
      const args = files.flatMap(({ file, version, size }) => [file, version ?? '', size])
      const result = await evaluate(
        COMMIT,
        [META, FILES, CHANGES],
        [lineage, sequence, head, nextHead, change, maxBytes, ...args],
      )
      if (result === 'done') return { outcome: 'done' }
      return result === 'conflict' ? { outcome: 'conflict' } : { outcome: 'full', bytes: Number(result) }
    },

    async replace({ lineage, sequence, head }, files, changes) {
      const upload = randomUUID()
      const [newFiles, newChanges] = [`${FILES}:${upload}`, `${CHANGES}:${upload}`]
      const bytes = files.reduce((sum, { size }) => sum + size, 0)
      await fill(
        newFiles,
        files.map(({ file, version, size }) => [file, `${version} ${size}`]),
      )
      for (const [id, text] of changes) await fill(newChanges, [[String(id), text]])
      const first = Math.min(sequence + 1, ...changes.keys())
      const changesBytes = changes.values().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
      const keys = [META, FILES, CHANGES, newFiles, newChanges]
      return (await evaluate(REPLACE, keys, [lineage, sequence, head, bytes, first, changesBytes])) === 1
    },

    async files() {
      const fields = await readFieldsInPages(redis, FILES)
      return [...fields].map(([file, text]): ContentFile => ({ file, ...parseFile(text) }))
    },

    changes: (ids) => redis.run((commands) => commands.hmGet(CHANGES, ids.map(String))),

    async get(version) {
      if (version === EMPTY_VERSION) return Buffer.alloc(0)
      const bytes = await redis.run((_, buffers) => buffers.getRange(keyOf(version), 0, maxFileBytes))
      return bytes?.length ? bytes : undefined
    },
    async put(version, bytes, maxBytes) {
      const args = [version, bytes.length + ENTRY_BYTES, maxBytes]
      const old = (await evaluate(RECORD_PUT, [META, PUTS], args)) as string[]
      await redis.run((commands) =>
        commands.set(keyOf(version), bytes, { expiration: { type: 'PX', value: FILE_TTL_MS } }),
      )
      return old.filter((other) => other !== version)
    },
    async remove(versions) {
      await redis.run((commands) => Promise.all(versions.map((version) => commands.unlink(keyOf(version)))))
    },
    async renew(versions) {
      const missing: string[] = []
      for (let start = 0; start < versions.length; start += CHUNK) {
        const chunk = versions.slice(start, start + CHUNK)
        const found = await redis.run((commands) =>
          Promise.all(chunk.map((version) => commands.pExpire(keyOf(version), FILE_TTL_MS))),
        )
        missing.push(...chunk.filter((_, index) => Number(found[index]) === 0))
      }
      return missing
    },
    requestFiles: async () => void (await redis.run((commands) => commands.hIncrBy(META, 'requests', 1))),

    async lock() {
      const token = randomUUID()
      const deadline = performance.now() + LOCK_TIMEOUT_MS
      const options = { condition: 'NX', expiration: { type: 'PX', value: LOCK_TTL_MS } } as const
      while ((await redis.run((commands) => commands.set(LOCK, token, options))) === null) {
        if (performance.now() > deadline) return undefined
        await sleep(LOCK_RETRY_INTERVAL_MS * (0.5 + Math.random()))
      }
      const renew = () => void evaluate(RENEW_LOCK, [LOCK], [token, LOCK_TTL_MS]).catch(() => {})
      const timer = setInterval(renew, LOCK_TTL_MS / 3)
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(timer)
          await evaluate(UNLOCK, [LOCK], [token]).catch(() => {})
        },
      }
    },
    close: redis.close,
  }
}
