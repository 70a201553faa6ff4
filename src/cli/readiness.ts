// The readiness of the service on this machine. Another program may use its port and reply with anything.

/** Resolves to an empty object if no JSON object arrives. */
export async function fetchObject(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await (await fetch(url, { signal, redirect: 'manual' })).json()
    return body instanceof Object ? { ...body } : {}
  } catch {
    return {}
  }
}

/** Resolves to undefined if no Menagerie service replies at this URL. */
export async function fetchReadiness(url: string, signal: AbortSignal) {
  const { success, code, state, problems } = await fetchObject(`${url}/readyz`, signal)
  const list: object[] = Array.isArray(problems) ? problems.filter((problem) => problem instanceof Object) : []
  if (success === true && (state === 'ok' || state === 'degraded')) return { state, problems: list } as const
  return code === 'NOT_READY' ? ({ state: 'not ready', problems: list } as const) : undefined
}

export const formatProblem = ({ part, message }: { part?: unknown; message?: unknown }) => `${part}: ${message}`
