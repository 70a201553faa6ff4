// Checks of the content, the releases and the blocklist.
import { join } from 'node:path'
import type { BlocklistInfo } from '../../features/blocklist/index.ts'
import type { Releases, WithdrawnNewest } from '../../features/releases/index.ts'
import { isFolder } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { formatCount, formatSentence, formatTime } from '../text.ts'
import { lastGoodIn, prefixAppFolder, withBlocklist, withClosing, withReleases } from '../with-services.ts'
import { type CheckContext, error, type Finding, type Findings, listFindings, ok, orOk, warning } from './check.ts'

const skipped = ok('Skipped: CONTENT_DIR does not exist.')

const toFinding = ({ file, line, rule, message }: Problem): Finding => ({
  level: 'error',
  text: formatSentence(message),
  file,
  line,
  rule,
})

export async function checkContentFiles({ config: { CONTENT_DIR, DATA_DIR } }: CheckContext): Promise<Findings> {
  if (!(await isFolder(CONTENT_DIR))) return skipped
  const { checkContent } = await import('../../features/content/index.ts')
  const { catalogue, problems } = await checkContent(CONTENT_DIR, { lastGoodFolder: lastGoodIn(DATA_DIR) })
  const { animals, ...lists } = catalogue
  const [kinds = [], texts = []] = [animals, Object.values(lists).flat()].map((summaries) =>
    summaries.filter(({ count }) => count > 0),
  )
  const sum = (summaries: readonly { count: number }[]) => summaries.reduce((total, { count }) => total + count, 0)
  const pictures = `${formatCount(sum(kinds), 'picture')} of ${formatCount(kinds.length, 'kind')}`
  const items = `${formatCount(sum(texts), 'item')} in ${formatCount(texts.length, 'list')}`
  return orOk(problems.map(toFinding), `${pictures} and ${items} are valid. Kinds without pictures are drawn.`)
}

export async function checkReleases({ config, signal, formatCommand }: CheckContext): Promise<Findings> {
  const { CONTENT_DIR, DATA_DIR } = config
  if (!(await isFolder(CONTENT_DIR))) return skipped
  const { findExampleReleases, findWithdrawnNewest, isSemantic, verifyFiles } = await import(
    '../../features/releases/index.ts'
  )
  const check = async (releases: Releases, dir: string) => {
    const catalogue = releases.catalogue()
    const verified = await verifyFiles(dir, catalogue, signal)
    // verifyFiles reports missing files, too.
    const others = releases.problems().filter(({ rule }) => rule !== 'file-gone')
    const published = formatCount(Object.values(catalogue.releases).flat().length, 'release')
    const news = formatCount(catalogue.news.length, 'news item')
    const files = formatCount(verified.files, 'file')
    const text = `${published}, ${news}. ${files} checked against size and checksum.`
    const problems = prefixAppFolder([...others, ...verified.problems]).map(toFinding)
    const withdrawn = findWithdrawnNewest(catalogue.releases, Date.now())
    const examples = findExampleReleases(catalogue.releases)
    const warnings = [
      ...withdrawn.map((entry) => warnOfWithdrawn(entry, formatCommand)),
      examples.length > 0 &&
        warning(
          `Example releases are offered to clients: ${examples.join(', ')}.`,
          `Remove them from ${join(dir, 'releases.yaml')}, or publish your own: ${formatCommand('release publish')}`,
        ),
    ]
    const findings = listFindings(orOk([...problems, ...warnings], text))
    const [first, ...more] = catalogue.releases.launcher.filter(
      ({ parsedVersion, withdrawn }) => !withdrawn && !isSemantic(parsedVersion),
    )
    if (!first) return findings
    const versions = `${formatCount(more.length + 1, 'version')} of the launcher (${first.version}${more.length > 0 ? ', …' : ''})`
    return [
      ...findings,
      ok(`electron-updater, Tauri and Velopack skip ${versions}: they read versions of three numbers only.`),
    ]
  }
  return withReleases(CONTENT_DIR, check, lastGoodIn(DATA_DIR))
}

function warnOfWithdrawn({ withdrawn, fallback }: WithdrawnNewest, formatCommand: CheckContext['formatCommand']) {
  const { application, version } = withdrawn
  const start = `${application} ${version} is withdrawn, and no newer version is public.`
  if (!fallback) return warning(`${start} No older release is public either.`, 'Publish a newer version.')
  return warning(
    `${start} Installations that have it keep it. A launcher that compares versions as text and does not send "current" ` +
      `goes back to ${fallback.version}.`,
    `Publish a newer version, or: ${formatCommand(`release supersede ${application} ${version} <new version>`)}`,
  )
}

/** Whether files were edited on this node, so that the other nodes have other content. */
export async function checkNodes({ config, formatCommand }: CheckContext): Promise<Finding> {
  const { openNodeSync, readSyncOptions } = await import('../../features/publishing/index.ts')
  const options = readSyncOptions(config)
  if (!options) return ok('Published content stays on this node.')
  const { CONTENT_DIR: contentDir, DATA_DIR: dataDir } = config
  if (!(await isFolder(join(dataDir, 'sync'))))
    return ok('This node gets the content of the other nodes when it starts.')
  return withClosing((await openNodeSync({ contentDir, dataDir, ...options }))!, async (sync) => {
    const { edited } = await sync.differences()
    if (edited.length === 0) return ok(`This node has change ${sync.sequence() ?? 0}, and no edits of its own.`)
    return warning(
      `This node has ${formatCount(edited.length, 'edit')} that no other node has, such as ${edited[0]}.`,
      `${formatCommand('content edits --publish')} or ${formatCommand('content edits --discard')}`,
    )
  })
}

const HOUR_MS = 3_600_000
/** A failed update is retried, so a list may be a day late without a problem. */
const MAX_DELAY_HOURS = 24

export const checkBlocklist = ({ config, formatCommand }: CheckContext): Promise<Finding> =>
  withBlocklist(config, async (blocklist) => {
    const { BLOCKLIST_URL, BLOCKLIST_REFRESH_HOURS: refreshHours } = config
    const [problem, lists] = [blocklist.problem(), blocklist.infos()]
    const update = formatCommand(`blocklist update ${BLOCKLIST_URL ? '"$BLOCKLIST_URL"' : '<URL or file>'}`)
    if (problem) return error(formatSentence(problem), update)
    if (lists.length === 0) return warning('There is no blocklist. Images are fetched from all public hosts.', update)
    const text = lists.map(describeList).join(' ')
    if (lists.every(({ entries }) => entries === 0))
      return warning(`${text} Images are fetched from all public hosts.`, update)
    if (!BLOCKLIST_URL || refreshHours === 0) return ok(text)
    const downloaded = lists.find(({ source }) => source !== 'content')
    if (!downloaded) return warning(`${text} The list of BLOCKLIST_URL has not been downloaded yet.`, update)
    const { downloadedListFile, readOrigin } = await import('../../features/blocklist/index.ts')
    // A list that its source has not changed stays as it is.
    const origin = await readOrigin(downloadedListFile(config.DATA_DIR), downloaded.sha256)
    const ageHours = (Date.now() - (origin?.checkedAt ?? Date.parse(downloaded.modifiedAt))) / HOUR_MS
    return ageHours > refreshHours + MAX_DELAY_HOURS
      ? warning(`${text} A running service updates it every ${refreshHours} hours.`, update)
      : ok(text)
  })

const describeList = ({ entries, source, modifiedAt }: BlocklistInfo) =>
  `${formatCount(entries, 'entry', 'entries')} in use (${source}), from ${formatTime(modifiedAt)}.`
