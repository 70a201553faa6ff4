// A reporter for node:test that prints nothing but the test files in which something failed, a line each.
import type { TestEvent } from 'node:test/reporters'

export default async function* failedFiles(events: AsyncIterable<TestEvent>) {
  const files = new Set<string>()
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue
    // A test may be written in a file that several test files share.
    const { entryFile = data.file } = data as { entryFile?: string }
    if (!entryFile || files.has(entryFile)) continue
    files.add(entryFile)
    yield `${entryFile}\n`
  }
}
