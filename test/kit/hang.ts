import { runInNewContext } from 'node:vm'

/** For work that could go on for ever: ends it when the time is up, and the test that needs it fails. */
export function withinSeconds(seconds: number, work: () => void): void {
  runInNewContext('work()', { work }, { timeout: seconds * 1000 })
}
