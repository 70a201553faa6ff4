// Turns of sources: parsing what they send takes time of the event loop, which others wait for.
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { createFairSemaphore, type FairSemaphore, measureThreadMs } from '../concurrency/index.ts'

/** A usual step takes less. */
const LONG_STEP_MS = 20
/** Then the event loop continues. With one step per turn of a busy event loop, sources would take ten times as long. */
const MAX_TURN_MS = 2

export type SourceTurns = ReturnType<typeof createSourceTurns>

/** Divides the time of this thread among sources. The fetchers of a service share it, because they share the thread. */
export function createSourceTurns() {
  const dataTurns = createTurns()
  const handshakeTurns = createTurns()
  /** Networks of sources whose last handshake was short. They need not wait for long ones: an attacker has many networks. */
  const provenNetworks = new LRUCache<string, true>({ max: 10_000 })
  const provenTurns = createTurns()
  let turnStartMs = 0

  /**
   * Runs one step at a time, and returns how many milliseconds it took. Long steps take at most a quarter of the time: the
   * event loop accepts one connection per turn, so others would wait for many of them.
   */
  async function runStep(turns: FairSemaphore, networks: readonly string[], step: () => void, limit?: AbortSignal) {
    using _turn = await turns.acquire(networks, limit)
    // With the time between steps: what undici parsed is read later.
    if (measureThreadMs() - turnStartMs > MAX_TURN_MS) {
      await immediate()
      turnStartMs = measureThreadMs()
    }
    const startMs = measureThreadMs()
    step()
    // undici parses what arrived in a tick of its own.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const ms = measureThreadMs() - startMs
    if (ms > LONG_STEP_MS) await sleep(3 * ms)
    return ms
  }

  /** Runs one step at a time of those after the handshake. */
  const takeDataTurn = (networks: readonly string[], step: () => void) => runStep(dataTurns, networks, step)

  /** `networks` are those of the source. */
  function startHandshake(networks: readonly string[], limit: AbortSignal) {
    const [network = ''] = networks
    let isLong = false
    return {
      async takeTurn(step: () => void): Promise<number> {
        const turns = provenNetworks.has(network) ? provenTurns : handshakeTurns
        const ms = await runStep(turns, networks, step, limit)
        if (ms > LONG_STEP_MS) {
          isLong = true
          provenNetworks.delete(network)
        }
        return ms
      },
      /** To be called when the certificate is found valid, also within the last step. */
      complete(): void {
        if (!isLong) provenNetworks.set(network, true)
      },
    }
  }

  return { takeDataTurn, startHandshake }
}

/** Networks of sources take turns; the one whose steps took least time is first. */
const createTurns = () => createFairSemaphore({ maxRunning: 1, maxRunningPerGroup: 1 })
