import { MenagerieError } from './error.ts'

type Fields = Record<string, unknown>

/** The JSON of a success. A page of a proxy or of another service is an error, not data. */
export async function readJson(response: Response): Promise<unknown> {
  const fields = fieldsOf(await response.text())
  if (fields?.success !== true) throw unexpected(response)
  return fields
}

/** The error that a reply tells of. */
export async function readError(response: Response): Promise<MenagerieError> {
  const fields = fieldsOf(await response.text())
  if (fields === undefined) return unexpected(response)
  const { success, status: _, code, message, requestId, ...facts } = fields
  if (success !== false || typeof code !== 'string' || typeof message !== 'string') return unexpected(response)
  return new MenagerieError(code, response.status, message, {
    facts,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfter: retryAfterOf(response),
  })
}

export function unexpected(response: Response): MenagerieError {
  const { status, headers } = response
  const type = headers.get('content-type')?.split(';')[0] || 'no type'
  const message = `The reply is not one of a Menagerie service (status ${status}, ${type}); check the address, and what stands between.`
  return new MenagerieError('UNEXPECTED_REPLY', status, message, {
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response),
  })
}

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

/** Seconds; HTTP also allows a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
