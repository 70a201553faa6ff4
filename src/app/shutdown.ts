// What runs when the service stops: the steps in their order, and how long each waits.
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { drain } from '../http/kernel/connections.ts'
import type { Log } from '../platform/logging/index.ts'
import type { ShutdownOptions } from '../platform/workers/index.ts'
import type { Problems } from './node-state.ts'

interface RunningParts {
  readonly problems: Pick<Problems, 'setStopping'>
  /** Replies after `isClosing` is set close their connections. */
  readonly closing: { isClosing: boolean }
  readonly server: Server
  readonly observers: { flush(): void }
  readonly log: Log
  /** Everything else that is open. */
  readonly opened: AsyncDisposableStack
}

/** Accepts no new connections after the grace period, lets requests finish, and saves all state. */
export async function stopService(
  { problems, closing, server, observers, log, opened }: RunningParts,
  { graceMs, lingerMs, emptiesListenQueue }: ShutdownOptions,
): Promise<void> {
  problems.setStopping()
  closing.isClosing = true
  await sleep(graceMs)
  await drain(server, lingerMs, { emptiesListenQueue })
  observers.flush()
  log.info({}, 'stopped')
  await opened.disposeAsync()
}

/** In this time most clients with an open connection send a request; its reply tells them that the connection closes. */
const MIN_GRACE_MS = 500

/**
 * If systemd holds the port, the next process accepts the connections of the listen queue; those that this process has
 * accepted may still send a request. Otherwise the port closes when no connection waits: closing it resets those in the
 * listen queue. With several workers, it also resets those that the primary has accepted and not passed on yet.
 */
export function readStopOptions({ STOP_GRACE_SECONDS, LISTEN_FDS, WORKERS }: Config): ShutdownOptions {
  const graceMs = STOP_GRACE_SECONDS * 1000
  if (LISTEN_FDS > 0 && WORKERS === 1) return { graceMs, lingerMs: MIN_GRACE_MS }
  return { graceMs: Math.max(graceMs, MIN_GRACE_MS), lingerMs: 0, emptiesListenQueue: true }
}

/** Returns `closeLater(part)`, which makes `stack` close the part, in reverse order of opening. */
export const createCloseLater =
  (stack: AsyncDisposableStack) =>
  <T extends { close(): unknown }>(part: T): T =>
    stack.adopt(part, async () => void (await part.close()))
