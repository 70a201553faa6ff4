export interface Failure {
  readonly code?: string
  readonly message?: string
  readonly field?: string
  readonly min?: number
  readonly max?: number
}

export interface Answer<Body> {
  readonly ok: boolean
  readonly status: number
  readonly ms: number
  readonly body: Body & Failure
}

export const NO_ANSWER = 'The service does not answer. Check your connection, then try again; nothing is lost.'

/** fetch whose failure is a sentence. */
export async function reach(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init?.signal?.aborted) throw error
    throw new Error(NO_ANSWER)
  }
}

export async function ask<Body>(path: string, init?: RequestInit): Promise<Answer<Body>> {
  const begun = performance.now()
  const response = await reach(path, init)
  const body = await readJson<Body>(response)
  return { ok: response.ok, status: response.status, ms: performance.now() - begun, body }
}

/** A proxy in between may answer with something else than JSON. */
export async function readJson<Body>(response: Response): Promise<Body & Failure> {
  try {
    return await response.json()
  } catch {
    throw new Error(`The reply is not one of this service: status ${response.status}. Try again in a moment.`)
  }
}

export const inMilliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
