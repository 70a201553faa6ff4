import { styleText } from 'node:util'
import type { Problem } from '../../../platform/logging/index.ts'
import { defineCommand } from '../../command.ts'
import { inApp, placeOf, withLiveReleases } from '../../content-problems.ts'
import { demandContentFolder } from '../../open.ts'
import { count, visible } from '../../text.ts'

export const contentCheck = defineCommand({
  name: 'content check',
  summary: 'Reads all of the content folder and names what is wrong; the exit code is 1 where something is.',
  settings: ['CONTENT_DIR'],
  examples: ['content check', 'content check --content-dir ./new-content'],
  run: async ({ config: { CONTENT_DIR }, progress }) => {
    await demandContentFolder(CONTENT_DIR)
    const { checkContent } = await import('../../../features/content/index.ts')
    using bar = progress('Reading pictures')
    const { catalogue, problems: wrong } = await checkContent(CONTENT_DIR, ({ done, total }) => bar.show(done, total))
    const problemsOfApp = await withLiveReleases(CONTENT_DIR, (releases) => inApp(releases.problems()))
    const problems: Problem[] = [...wrong, ...problemsOfApp]
    const pictures = catalogue.animals.reduce((sum, kind) => sum + kind.count, 0)
    const ok = problems.length === 0
    const verdict = ok
      ? styleText('green', `All is well: ${count(pictures, 'picture')}, and every list, release and piece of news.`)
      : styleText('red', count(problems.length, 'problem'))
    return { text: [...problems.map(lineOf), verdict].join('\n'), value: { pictures, problems }, ok }
  },
})

const lineOf = (problem: Problem) => visible(`${placeOf(problem)} ${problem.rule}: ${problem.message}`)
