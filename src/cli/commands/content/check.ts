import { join } from 'node:path'
import { styleText } from 'node:util'
import { defineCommand } from '../../command.ts'
import { demandContentFolder, silent } from '../../open.ts'
import { count, visible } from '../../text.ts'

interface Found {
  readonly file: string
  readonly line?: number
  readonly rule: string
  readonly message: string
}

export const contentCheck = defineCommand({
  name: 'content check',
  summary: 'Reads all of the content folder and names what is wrong; the exit code is 1 where something is.',
  settings: ['CONTENT_DIR'],
  examples: ['content check', 'content check --content-dir ./new-content'],
  run: async ({ config: { CONTENT_DIR }, progress }) => {
    await demandContentFolder(CONTENT_DIR)
    const { checkContent } = await import('../../../content/index.ts')
    using bar = progress('Reading pictures')
    const { catalogue, problems: wrong } = await checkContent(CONTENT_DIR, ({ done, total }) => bar.show(done, total))
    const problems: Found[] = [...wrong, ...(await problemsOfApp(join(CONTENT_DIR, 'app')))]
    const pictures = catalogue.animals.reduce((sum, kind) => sum + kind.count, 0)
    const ok = problems.length === 0
    const verdict = ok
      ? styleText('green', `All is well: ${count(pictures, 'picture')}, and every list, release and piece of news.`)
      : styleText('red', count(problems.length, 'problem'))
    return { text: [...problems.map(lineOf), verdict].join('\n'), value: { pictures, problems }, ok }
  },
})

/** `file:line rule: message`, which editors can jump to. */
const lineOf = ({ file, line, rule, message }: Found) =>
  visible(`${file}${line === undefined ? '' : `:${line}`} ${rule}: ${message}`)

async function problemsOfApp(dir: string): Promise<Found[]> {
  const { openReleases } = await import('../../../releases/index.ts')
  const releases = await openReleases({ dir, log: silent })
  try {
    return releases.problems().map((problem) => ({ ...problem, file: `app/${problem.file}` }))
  } finally {
    await releases.close()
  }
}
