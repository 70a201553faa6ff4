// A reporter for node:test: one JSON line per test file, with its duration and whether all its tests passed.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

export interface FileResult {
  /** Relative to the root of the project. */
  readonly file: string
  readonly seconds: number
  readonly success: boolean
}

export default async function* reportFiles(events: AsyncIterable<TestEvent>) {
  for await (const { type, data } of events) {
    // The summary of the whole run has no file.
    if (type !== 'test:summary' || !data.file) continue
    const result: FileResult = {
      file: relative(process.cwd(), data.file),
      seconds: data.duration_ms / 1000,
      success: data.success,
    }
    yield `${JSON.stringify(result)}\n`
  }
}
