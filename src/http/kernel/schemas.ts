import Type, { type TProperties } from 'typebox'

/** A reply that went well: `success`, `status`, and what was asked for. */
export const SuccessReply = <Properties extends TProperties>(properties: Properties) =>
  Type.Object({ success: Type.Literal(true), status: Type.Literal(200), ...properties })

/** An enum whose values change while the service runs; OpenAPI and error messages read the current ones. */
export const CurrentEnum = (read: () => readonly string[]) =>
  Type.Unsafe<string>({
    get enum() {
      return read()
    },
  })

export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hexadecimal digits.' })
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
export const Bytes = Type.Integer({ minimum: 0, description: 'Size in bytes.' })

export const ErrorReply = Type.Object(
  {
    success: Type.Literal(false),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({ description: 'Stays as it is for ever; compare with this.' }),
    message: Type.String({ description: 'For people: what is wrong and what would be right.' }),
    requestId: Type.String({ description: 'Name it when you ask the operator.' }),
  },
  { description: 'Every error, on every path. Some carry further facts: allowed, min, max, retryAfter …' },
)
