// The programs of a user of @menagerie/client and @menagerie/artist.

const CLIENT = '{ createClient, MenagerieError }'
const ARTIST = '{ artistKinds, draw }'

/** Uses nothing of Node, so that it also runs as a bundle for browsers. */
const CALLS = (url: string) => `
async function main() {
  const menagerie = createClient('${url}')
  const cat = await menagerie.random.animal('cat')
  const error = await menagerie.random.animal('unicorn').catch((error) => error)
  const drawings = artistKinds.map((kind) => draw(kind, 'Zoë'))
  console.log(JSON.stringify({ url: cat.message, code: error instanceof MenagerieError && error.code, drawings }))
}
main()
`

/** What the program prints. */
export interface ProgramOutput {
  readonly url: string
  readonly code: string
  readonly drawings: readonly string[]
}

/** The element does nothing without a page, but it can be imported: programs that render pages do so. */
const IMPORTS = `import ${CLIENT} from '@menagerie/client'
import '@menagerie/client/element'
import ${ARTIST} from '@menagerie/artist'
`
const REQUIRES = `const ${CLIENT} = require('@menagerie/client')
require('@menagerie/client/element')
const ${ARTIST} = require('@menagerie/artist')
`

export const createPrograms = (url: string) => ({
  'program.mjs': IMPORTS + CALLS(url),
  'program.cjs': REQUIRES + CALLS(url),
})

/** Lines after @ts-expect-error must be type errors. */
const TYPED_CALLS = `
export async function main(): Promise<string> {
  const menagerie = createClient('http://127.0.0.1:4010', { timeoutMs: 1000 })
  const { message, item } = await menagerie.random.animal('cat')
  const many: readonly string[] = (await menagerie.random.animal('fox', { count: 2 })).message
  const isKnown = (error: unknown) => error instanceof MenagerieError && error.code === 'UNKNOWN_KIND'
  const kind: AnimalKind = artistKinds[0] ?? 'cat'
  // @ts-expect-error: there is no such filter
  menagerie.filter.url('sepia', message)
  // @ts-expect-error: there is no such kind
  draw('unicorn', '1')
  return draw(kind, 'Zoë', { size: 64 }) + message + item.alt + many.join() + isKnown(undefined)
}
`
const TYPES = `import type { AnimalKind } from '@menagerie/artist'\n`
const IMPORTED = IMPORTS + TYPES + TYPED_CALLS
const REQUIRED = `import client = require('@menagerie/client')
import artist = require('@menagerie/artist')
import element = require('@menagerie/client/element')
export const tag: typeof element.MenagerieAnimal | undefined = undefined
${TYPES}const ${CLIENT} = client\nconst ${ARTIST} = artist\n${TYPED_CALLS}`

export const typedPrograms = { 'typed.mts': IMPORTED, 'typed.cts': REQUIRED, 'typed.ts': IMPORTED }
