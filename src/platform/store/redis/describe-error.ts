import { ErrorReply } from '@redis/client'
import { StoreTrouble } from '../unavailable.ts'

/** What Redis or the network says, and what it means; the original may hold addresses. */
const meanings: [RegExp, string][] = [
  [/^OOM/, 'Redis is out of memory and refuses writes'],
  [/^NOPERM/, 'Redis does not allow this user a command or a key that is needed'],
  [/^(WRONGPASS|NOAUTH)|invalid password|no password is set/i, 'Redis refuses the name or password'],
  [/^LOADING/, 'Redis is still loading its data'],
  [/^(READONLY|MASTERDOWN|NOREPLICAS|MISCONF|CLUSTERDOWN|TRYAGAIN)/, 'Redis refuses writes at the moment'],
  [/^(MOVED|ASK|CROSSSLOT) /, 'Redis runs as a cluster; STORE_URL must begin with redis-cluster://'],
  [/cluster support disabled/, 'Redis does not run as a cluster; STORE_URL must begin with redis://'],
  [/RootNodesUnavailable|root nodes/i, 'no node of the Redis cluster answers'],
  [/sentinel/i, 'no sentinel knows where the master is'],
  [/ECONNREFUSED/, 'Redis refuses the connection'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name of Redis cannot be resolved'],
  [/ECONNRESET|EPIPE|socket closed|disconnects client|client is (closed|offline)/i, 'Redis closed the connection'],
  [/timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i, 'Redis does not answer'],
  [/queue is full/, 'too many calls wait for Redis'],
  [/certificate|SSL|TLS/i, 'the TLS connection to Redis cannot be made'],
]

export function meaningOf(error: unknown): StoreTrouble {
  if (error instanceof StoreTrouble) return error
  const { message = '', code = '', name = '' } = error as { message?: string; code?: string; name?: string }
  const meaning = meanings.find(([pattern]) => pattern.test(message) || pattern.test(code) || pattern.test(name))
  return new StoreTrouble(meaning?.[1] ?? `Redis failed: ${error instanceof ErrorReply ? message : code || name}`)
}
