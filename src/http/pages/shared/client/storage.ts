/** A browser may forbid a storage: then reading it throws. */
export function useStorage<T>(kind: 'localStorage' | 'sessionStorage', work: (storage: Storage) => T): T | null {
  try {
    return work(window[kind])
  } catch {
    return null
  }
}
