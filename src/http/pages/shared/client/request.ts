export interface Failure {
  readonly code?: string
  readonly message?: string
  readonly field?: string
  readonly parameter?: string
}

export interface JsonReply<Body> {
  readonly ok: boolean
  readonly status: number
  readonly ms: number
  readonly body: Body & Failure
}

const NO_REPLY = 'The service does not reply. Check your connection and try again.'

/** fetch with a readable error message. */
export async function fetchOrExplain(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init?.signal?.aborted) throw error
    throw new Error(NO_REPLY)
  }
}

export async function requestJson<Body>(
  path: string,
  init?: RequestInit,
): Promise<JsonReply<Body> & { readonly headers: Headers }> {
  const startedAt = performance.now()
  const response = await fetchOrExplain(path, init)
  const body = await readJson<Body>(response)
  const { ok, status, headers } = response
  return { ok, status, headers, ms: performance.now() - startedAt, body }
}

/** A proxy may answer with something other than JSON. */
export async function readJson<Body>(response: Response): Promise<Body & Failure> {
  try {
    return await response.json()
  } catch {
    throw new Error(`Unexpected reply with status ${response.status}. Try again in a moment.`)
  }
}

export const formatMilliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
