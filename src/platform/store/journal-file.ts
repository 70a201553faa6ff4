import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { lockFile } from '../files/index.ts'

const FILE_NAME = /^(\d+)\.journal$/

/** The numbers of the journal files in a folder, locked or not. */
export const listJournalFiles = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .map(Number)

export type JournalFile = NonNullable<Awaited<ReturnType<typeof openJournalFile>>>

/**
 * Opens the journal file with this number, and creates it if it does not exist. No other process can open it until it is
 * closed or this process ends. Undefined: another process has it. Rejects if the disk refuses.
 */
export async function openJournalFile(folder: string, number: number) {
  using opened = new DisposableStack()
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${number}.journal`)
  const fd = opened.adopt(openSync(path, constants.O_RDWR | constants.O_CREAT), closeSync)
  const lock = await lockFile(join(folder, `${number}.lock`))
  if (!lock) return undefined
  opened.defer(() => lock.close())
  const writeAt = (bytes: Buffer, position: number) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
  const file = opened.move()
  return {
    number,
    /** Missing bytes are 0. */
    read: (bytes: Buffer) => void bytes.fill(0, readSync(fd, bytes, 0, bytes.length, 0)),
    /** Throws if the disk refuses. What the process has written survives its death, but not the death of the machine. */
    write: writeAt,
    /** Writes the whole file. A file that grows in vain gets its old size again, to leave the space to others. */
    writeAll(bytes: Buffer): void {
      const { size } = fstatSync(fd)
      try {
        writeAt(bytes, 0)
      } catch (error) {
        ftruncateSync(fd, size)
        throw error
      }
    },
    /** False if somebody removed or replaced the file: what is written to it is lost when the process ends. */
    isInPlace(): boolean {
      const [own, found] = [fstatSync(fd), statSync(path, { throwIfNoEntry: false })]
      return own.ino === found?.ino && own.dev === found.dev
    },
    close: () => file.dispose(),
  }
}
