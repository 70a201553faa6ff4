// A publisher as a process of its own: publishes the versions it is given and prints each when it is done.
import { publishRelease } from '../../src/features/releases/index.ts'

const [dir = '', file = '', ...versions] = process.argv.slice(2)
for (const version of versions) {
  await publishRelease({ dir, application: 'launcher', version, assets: [{ file }], force: true })
  process.stdout.write(`${version}\n`)
}
