import { type History, steps } from './history.ts'
import type { PackedSlot } from './slot.ts'

/** The other processes of this node. */
interface Others {
  provide(topic: string, read: () => unknown): void
  collect(topic: string): Promise<unknown[]>
}

const question = (step: number) => `history of ${step} s`

/** One past for all processes of a node, whichever of them is asked. */
export function createLive(history: History, others: Others) {
  for (const step of steps) others.provide(question(step), () => history.slots(step))
  return async (wish: { since?: number; step?: number }) => {
    const [, ...theirs] = await others.collect(question(wish.step ?? steps[0]))
    return history.view(wish, theirs as PackedSlot[][])
  }
}
