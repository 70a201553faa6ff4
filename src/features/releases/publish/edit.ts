// Changes one YAML file of the operator, whose comments and order stay.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Document } from 'yaml'
import { writeAtomically } from '../../../platform/files/index.ts'
import { type DataFile, dataFiles } from '../read/data-files.ts'
import { LARGEST_DATA } from '../read/read-file.ts'
import { parseYaml } from '../read/yaml.ts'
import { lineDiff } from './diff.ts'
import { demand, PublishError } from './publish-error.ts'

export interface Change {
  /** Relative to the folder. */
  readonly file: string
  /** The lines that go and come, with "-" and "+" before them. */
  readonly diff: string
}

export type ValueOf<Name extends DataFile> = NonNullable<ReturnType<(typeof dataFiles)[Name]>['value']>

export async function readData<Name extends DataFile>(dir: string, name: Name): Promise<ValueOf<Name>> {
  return checked(name, await textOf(dir, name))
}

export async function editData<Name extends DataFile>(
  dir: string,
  name: Name,
  edit: (document: Document, value: ValueOf<Name>) => void,
  dryRun = false,
): Promise<Change> {
  const before = await textOf(dir, name)
  const document = parseYaml(before)
  edit(document, checked(name, before))
  const after = document.toString({ lineWidth: 0 })
  // Whatever the edit did, a file that the service would refuse is not written.
  const [wrong] = dataFiles[name](after).problems
  if (wrong) throw new PublishError(`${wrong.message}.`)
  demand(
    Buffer.byteLength(after) <= LARGEST_DATA,
    name,
    `must not grow beyond ${LARGEST_DATA} bytes; remove old entries`,
  )
  if (!dryRun) await writeAtomically(join(dir, name), after)
  return { file: name, diff: lineDiff(before, after) }
}

async function textOf(dir: string, name: string): Promise<string> {
  try {
    return await readFile(join(dir, name), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new PublishError(`${name} cannot be read (${code}).`)
  }
}

function checked<Name extends DataFile>(name: Name, text: string): ValueOf<Name> {
  const { value, problems } = dataFiles[name](text)
  const [problem] = problems
  if (problem) throw new PublishError(`${name}, line ${problem.line}: ${problem.message}; mend that first.`)
  return value as ValueOf<Name>
}
