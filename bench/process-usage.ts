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

/** Pages that several processes share, such as the program, count once (PSS). */
export const readMegabytes = (pid: number) =>
  sumOver(pid, (id) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1]) / 1024)

/** User and system time so far, including child processes that have ended. */
export const readCpuMs = (pid: number) =>
  sumOver(pid, (id) => {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
    return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS
  })
