import { stat } from 'node:fs/promises'
import type { Problem } from '../../platform/logging/index.ts'
import { inApp, withLiveReleases } from '../content-problems.ts'
import { count, visible } from '../text.ts'
import type { Check, Finding } from './check.ts'
import { ok, orOk } from './check.ts'

/** A list of a hundred thousand pictures is read in that time, and files of some gigabytes. */
const LONG_MS = 120_000

const isMissing = (dir: string) =>
  stat(dir).then(
    (found) => !found.isDirectory(),
    () => true,
  )

const asFinding = ({ file, line, rule, message }: Problem): Finding => ({
  level: 'wrong',
  text: visible(message.endsWith('.') ? message : `${message}.`),
  ...{ file, line, rule },
})

export const contentCheck: Check = {
  name: 'content',
  limitMs: LONG_MS,
  async look({ config: { CONTENT_DIR } }) {
    if (await isMissing(CONTENT_DIR)) return [ok('Not looked at: CONTENT_DIR is missing.')]
    const { checkContent } = await import('../../features/content/index.ts')
    const { catalogue, problems } = await checkContent(CONTENT_DIR)
    const { animals, ...lists } = catalogue
    const [kinds, texts] = [animals, Object.values(lists).flat()].map((all) => all.filter(({ count }) => count > 0))
    const itemsIn = (summaries: readonly { count: number }[] = []) =>
      summaries.reduce((sum, { count }) => sum + count, 0)
    const pictures = `${count(itemsIn(kinds), 'picture')} of ${count(kinds?.length ?? 0, 'kind')}`
    const told = `${pictures} and ${count(itemsIn(texts), 'item')} in ${count(texts?.length ?? 0, 'list')} follow the rules.`
    return orOk(problems.map(asFinding), `${told} Built-in kinds without pictures are drawn.`)
  },
}

export const releasesCheck: Check = {
  name: 'releases',
  limitMs: LONG_MS,
  async look({ config: { CONTENT_DIR }, signal }) {
    if (await isMissing(CONTENT_DIR)) return [ok('Not looked at: CONTENT_DIR is missing.')]
    const { verifyFiles } = await import('../../features/releases/index.ts')
    return withLiveReleases(CONTENT_DIR, async (releases, dir) => {
      const { releases: published, news } = releases.catalogue()
      const verified = await verifyFiles(dir, releases.catalogue(), { signal })
      // Those of files are told by the verification, too.
      const others = releases.problems().filter(({ rule }) => rule !== 'file-gone')
      const number = Object.values(published).flat().length
      const told = `${count(number, 'release')} and ${count(news.length, 'piece')} of news; ${count(verified.files, 'file')} here, as published.`
      return orOk(inApp([...others, ...verified.problems]).map(asFinding), told)
    })
  },
}
