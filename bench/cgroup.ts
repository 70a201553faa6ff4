// A limit of memory as in a container, on Linux, for the superuser.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../test/kit/until.ts'
import { benchScope } from './harness.ts'

const V2 = existsSync('/sys/fs/cgroup/cgroup.controllers')
const PARENT = V2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory'
const names = V2
  ? { limit: 'memory.max', kills: 'memory.events' }
  : { limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' }

const tryTo = (action: () => void): boolean => {
  try {
    action()
    return true
  } catch {
    return false
  }
}

/** Runs an action that starts a process, which gets `bytes` of memory with all its children. */
export async function startInCgroup<T>(bytes: number, start: () => Promise<T>) {
  const folder = join(PARENT, `menagerie-${process.pid}-${bytes}`)
  mkdirSync(folder)
  // The processes in it end a moment after they are killed.
  benchScope.after(() => until(() => tryTo(() => rmdirSync(folder))))
  writeFileSync(join(folder, names.limit), String(bytes))
  // Children are in the group of the process that starts them.
  writeFileSync(join(folder, 'cgroup.procs'), String(process.pid))
  const started = await start().finally(() => writeFileSync(join(PARENT, 'cgroup.procs'), String(process.pid)))
  const countKills = () => Number(/oom_kill (\d+)/.exec(readFileSync(join(folder, names.kills), 'utf8'))?.[1])
  return { started, countKills }
}
