// Memory and CPU time of a process with its child processes, on Linux.
import { readFileSync } from 'node:fs'

const TICK_MS = 10

/** A process and its descendants. */
export function listProcesses(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return [pid, ...children.flatMap((child) => listProcesses(Number(child)))]
  } catch {
    // It ended meanwhile.
    return []
  }
}

function sumOver(pid: number, read: (pid: number) => number): number {
  return listProcesses(pid).reduce((sum, id) => {
    try {
      return sum + read(id)
    } catch {
      return sum
    }
  }, 0)
}

/** Files that several processes have in memory, such as the program, count once. */
export function readMegabytes(pid: number): number {
  const read = (id: number, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024
  return sumOver(pid, (id) => read(id, 'RssAnon')) + read(pid, 'RssFile')
}

/** User and system time so far, including child processes that have ended. */
export const readCpuMs = (pid: number) =>
  sumOver(pid, (id) => {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
    return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS
  })
