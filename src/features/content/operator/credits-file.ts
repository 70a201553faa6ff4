import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { writeAtomically } from '../../../platform/files/index.ts'
import { CREDITS_FILE, type Credit } from '../credits.ts'
import { AddRefused } from './add-refused.ts'

/** Adds entries to a kind's credits.yaml; what the operator wrote there, comments too, stays. */
export async function addCredits(folder: string, files: readonly string[], credit: Credit): Promise<void> {
  if (files.length === 0 || Object.keys(credit).length === 0) return
  const path = join(folder, CREDITS_FILE)
  const document = parseDocument(await textOf(path))
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents))) {
    throw new AddRefused(`${path} is not a YAML map; put it right, and add the credits of ${files.join(', ')} to it.`)
  }
  for (const file of files) document.set(file, document.createNode(credit))
  await writeAtomically(path, document.toString())
}

/** Empty where there is none yet. One that cannot be read would be replaced, with all that the operator wrote there. */
const textOf = (path: string) =>
  readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return ''
    throw new AddRefused(`${path} cannot be read (${code}); the pictures were added, their credits were not.`)
  })
