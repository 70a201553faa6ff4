// What the nodes have announced. It is in the store, so that one of several nodes sends a message, and sends it once.
import type { Markers } from '../../platform/store/index.ts'

/**
 * A JSON value in the store. `change` computes the next value from the stored one, or undefined for no change. Resolves to
 * false if another node changed it at the same time: the caller then looks again at its next check.
 */
export const createSharedValue = <T>(markers: Markers, name: string) => ({
  async change(compute: (stored: T | undefined) => T | undefined): Promise<boolean> {
    const text = await markers.get(name)
    const next = compute(parse<T>(text))
    return next === undefined || (await markers.replace(name, text, JSON.stringify(next)))
  },
})

function parse<T>(text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Finds ids that no node has announced. Ids that exist when the list is first created count as announced. */
export function createAnnouncer(markers: Markers, name: string) {
  const shared = createSharedValue<string[]>(markers, name)
  let known = new Set<string>()
  let isRead = false

  /**
   * `existing`: the ids that are worth remembering, such as releases that are withdrawn for now. Undefined: another node
   * announced something at the same time; call it again.
   */
  return async (ids: readonly string[], existing: readonly string[] = ids): Promise<string[] | undefined> => {
    if (isRead && ids.every((id) => known.has(id))) return []
    let added: string[] = []
    const isChanged = await shared.change((announced) => {
      added = announced ? ids.filter((id) => !announced.includes(id)) : []
      known = new Set([...(announced ?? ids), ...added])
      if (announced && added.length === 0) return undefined
      const worthKeeping = new Set([...ids, ...existing])
      return [...known].filter((id) => worthKeeping.has(id))
    })
    isRead = isChanged
    return isChanged ? added : undefined
  }
}
