// Developer information.
import { defineError } from './define.ts'

export const UnknownFile = defineError(
  'UNKNOWN_FILE',
  404,
  'There is no such file or folder here.',
  (folder: string) => ({ message: `There is no such file here; ${folder} lists those there are.` }),
)

export const RangeNotSatisfiable = defineError(
  'RANGE_NOT_SATISFIABLE',
  416,
  'Nothing of the range that the Range header asks for lies within the file.',
  (size: number) => ({ message: `The file has ${size} bytes; ask for a range within them.`, size }),
)
