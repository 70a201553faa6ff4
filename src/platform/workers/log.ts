/** What the supervisor tells of its workers. */
export interface SupervisorLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}
