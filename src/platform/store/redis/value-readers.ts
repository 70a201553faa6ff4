import type { HostPort } from '../../../config/store-url.ts'
import type { ReadBytes } from './connect.ts'
import { openValueReader, type ValueReader } from './value-reader.ts'

export interface ReadersOptions {
  /** Who has the key, as far as is known now. */
  readonly nodeOf: (key: string) => HostPort | undefined
  readonly greeting: readonly (readonly string[])[]
  /** The ordinary connection, which finds its way when nodes move, and tells what is wrong. */
  readonly otherwise: ReadBytes
}

/** After a connection could not be made, or ended. */
const RETRY_MS = 1000

/** Readers to the nodes that hold values. They only make it cheaper: whatever they cannot do goes the ordinary way. */
export function createValueReaders({ nodeOf, greeting, otherwise }: ReadersOptions) {
  const readers = new Map<string, ValueReader>()
  const notBefore = new Map<string, number>()
  let closed = false

  function readerTo({ host, port }: HostPort): ValueReader | undefined {
    const name = `${host} ${port}`
    const known = readers.get(name)
    if (known || closed || performance.now() < (notBefore.get(name) ?? 0)) return known
    const onEnd = () => {
      readers.delete(name)
      notBefore.set(name, performance.now() + RETRY_MS)
    }
    const reader = openValueReader({ host, port, greeting, onEnd })
    readers.set(name, reader)
    return reader
  }

  const readBytes: ReadBytes = async (key, most) => {
    const node = nodeOf(key)
    const reader = node && readerTo(node)
    if (!reader?.isReady) return otherwise(key, most)
    try {
      return await reader.read(key, most)
    } catch {
      return otherwise(key, most)
    }
  }

  return {
    readBytes,
    destroy() {
      closed = true
      for (const reader of readers.values()) reader.destroy()
    },
  }
}
