import { StartError } from '../../app/preconditions.ts'
import { CommandError } from '../command.ts'

/** What keeps the service from starting is a sentence for whoever started it. */
export const refusing = <T>(starting: Promise<T>): Promise<T> =>
  starting.catch((error) => {
    throw error instanceof StartError ? new CommandError(error.message) : error
  })
