// What the OpenAPI document says of the headers of replies.
const whole = { type: 'integer', minimum: 0 }

export const REPLY_HEADERS = {
  'X-Request-Id': { description: 'The name of this request in the logs.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'How many such requests an address may make in a period.', schema: whole },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: whole },
  'RateLimit-Reset': { description: 'After so many seconds there is one more.', schema: whole },
  'Retry-After': { description: 'Not before so many seconds is it worth asking again.', schema: whole },
  Allow: { description: 'The methods of this path.', schema: { type: 'string' } },
}

type Name = keyof typeof REPLY_HEADERS

const EVERYWHERE: readonly Name[] = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
const ALSO: Readonly<Record<number, Name>> = { 405: 'Allow', 429: 'Retry-After', 503: 'Retry-After' }

/** The headers of replies with a status, as references into `components`. */
export function headersAt(status: number) {
  const also = ALSO[status]
  const names = also ? [...EVERYWHERE, also] : EVERYWHERE
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
