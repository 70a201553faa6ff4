import type { IncomingMessage } from 'node:http'
import type { OnStage } from '../../features/images/index.ts'
import type { TracedStage, Traces } from '../../platform/tracing/index.ts'
import type { RequestObserver } from './observers.ts'
import type { Route } from './route.ts'

/** The part of a request that its trace needs. */
export type Trace = ReturnType<typeof beginTrace>

/** OpenTelemetry requires one common name for methods outside of this list. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']
const OTHER = '_OTHER'

export function beginTrace({ headers: { traceparent } }: IncomingMessage) {
  const stages: TracedStage[] = []
  const onStage: OnStage = (name, startedAt, ms) => void stages.push({ name, startedAt, ms })
  return { traceparent: typeof traceparent === 'string' ? traceparent : undefined, stages, onStage }
}

export function createTraceObserver(
  traces: Pick<Traces, 'add'>,
  routes: readonly Pick<Route, 'path'>[],
): RequestObserver {
  return ({ trace, id, method: requestMethod, routeIndex, status, startedAt, ms }) => {
    if (!trace) return
    const method = METHODS.includes(requestMethod) ? requestMethod : OTHER
    const route = routes[routeIndex]?.path
    const name = [method === OTHER ? 'HTTP' : method, route].filter(Boolean).join(' ')
    traces.add({ id, name, method, route, status, startedAt, ms, ...trace })
  }
}
