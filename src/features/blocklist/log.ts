/** What this room logs with; pino's loggers are such. */
export interface ListLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
