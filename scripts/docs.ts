// `npm run docs`: writes the documents that are made from lists in the code. A test checks that they are up to date.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatedDocs } from './generated-docs.ts'

for (const [path, text] of Object.entries(generatedDocs())) {
  await writeFile(join(import.meta.dirname, '..', path), text)
  console.log(path)
}
