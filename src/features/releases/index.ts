// What is published for the product: releases, updates, news, resources, tiers and downloads, read from the operator's files.
import { NotPublished } from '../../errors/index.ts'
import type { FeedGenerator } from './news-feed.ts'
import * as offers from './offers.ts'
import { parseApplication, parseTier, tierNames } from './release.ts'
import { toDownload } from './release-files.ts'
import { type ReleasesOptions, watchReleases } from './watch-releases.ts'

export { type Adoption, createAdoption } from './adoption.ts'
export * from './asset.ts'
export type { Offer } from './catalogue.ts'
export type { LanguageIndex } from './languages.ts'
export { chooseLanguage, languagePattern, parseTranslationName, translateNotes } from './languages.ts'
export { type FeedFormat, feedFormats, listLanguages, MAX_FEED_ENTRIES, type NewsText, translate } from './news.ts'
export type { FeedGenerator } from './news-feed.ts'
export { findExampleReleases, findWithdrawnNewest, type ReleaseLinks, type WithdrawnNewest } from './offers.ts'
export type { AssetSource } from './publish/asset-source.ts'
export { pauseRamp, type RampOptions, rampRelease, reportFailures, resumeRamp } from './publish/change-ramp.ts'
export {
  listReleases,
  listResources,
  type ReleaseChangeOptions,
  removeResources,
  restoreVersion,
  rollOutRelease,
  setMinimum,
  setNotes,
  supersedeRelease,
  withdrawVersion,
} from './publish/change-release.ts'
export { acceptShrinking, assertInput, editFiles, isReleaseFile } from './publish/edit-file.ts'
export { addNews, listNews, previewMarkdown, readNews, removeNews } from './publish/publish-news.ts'
export * from './publish/publish-release.ts'
export { publishResources, readTier, setTier } from './publish/publish-resources.ts'
export { stageSource } from './publish/source.ts'
export { describeRamp, getRollout, rampStates } from './ramp.ts'
export { type NewsDraft, parseNewsDraft } from './read/parse-news.ts'
export { listNewsFiles } from './read/read-files.ts'
export { MAX_ASSETS, MAX_TIER_ENTRIES, releaseFileSchemas } from './read/schemas.ts'
export * from './release.ts'
export { type Download, type FileDownload, verifyFiles } from './release-files.ts'
export { type AdoptionSummary, createStatistics, type Statistics } from './statistics.ts'
// An update format also has a method in http/api/product/release-presenter.ts and a route in http/api/product/updates.ts.
export { type ElectronFile, electronFiles, formatElectronUpdate } from './update-formats/electron.ts'
export { type BundleType, bundleTypes, formatTauriUpdate, parseTauriTarget } from './update-formats/tauri.ts'
export * from './update-formats/velopack.ts'
export { isSameVersion, isSemantic, sentVersionPattern, versionPattern } from './version.ts'

export type AppcastFormatter = typeof import('./update-formats/sparkle.ts').formatAppcast

/** Loads the Markdown renderer on first use. */
export const loadAppcastFormatter = async (): Promise<AppcastFormatter> =>
  (await import('./update-formats/sparkle.ts')).formatAppcast

/** Loads the feed library on first use: loading it at the start would delay every start of the service. */
export const loadFeedGenerator = async (): Promise<FeedGenerator> => (await import('./news-feed.ts')).generateFeed

export type Releases = Awaited<ReturnType<typeof openReleases>>

export async function openReleases(options: ReleasesOptions) {
  const watched = await watchReleases(options)
  const published = () => watched.state().published
  const listReleased = (application: string) => published().releases[parseApplication(application)]
  const findResources = () => {
    const [newest] = published().resources
    if (!newest) throw new NotPublished('resources of the launcher')
    return newest
  }

  return {
    title: options.title ?? 'News',
    updates: (options: Parameters<typeof offers.findUpdates>[1]) => offers.findUpdates(published(), options),
    file: (name: string) => offers.findFile(published(), name),
    offered: (options: Parameters<typeof offers.listOffered>[1]) => offers.listOffered(published(), options),
    newest: (application: string, options: offers.OfferOptions) =>
      offers.findRelease(published(), parseApplication(application), options),
    resources: findResources,
    tier(text: string) {
      const tier = parseTier(text)
      const record = published().tiers[tier]
      if (!record) throw new NotPublished(`tier ${tier}`)
      const { resources = {}, benefits = [] } = record
      return { tier, name: tierNames[tier], resources, benefits }
    },
    /** Newest first. */
    news: () => published().news,
    newsLanguages: () => published().newsLanguages,
    notesLanguages: () => published().notesLanguages,

    resolveDownload(application: string, options: Parameters<typeof offers.findRelease>[2]) {
      const { release, asset } = offers.findRelease(published(), parseApplication(application), options)
      return toDownload(release, asset, watched.state().availableFiles)
    },
    resolveAsset(application: string, version: string, name: string) {
      const { release, asset } = offers.findAsset(published(), parseApplication(application), version, name)
      return toDownload(release, asset, watched.state().availableFiles)
    },
    resolveResources() {
      const resources = findResources()
      return toDownload(resources, resources, watched.state().availableFiles)
    },

    openFile: watched.openFile,

    /** The public releases that at least some clients are offered, of all applications. */
    listPublic: () =>
      Object.values(published().releases).flatMap(({ releases }) => releases.filter(({ rollout }) => rollout > 0)),
    /** Equal for all clients that are offered the same releases of an application. */
    offerKey: (application: string, client: string) =>
      offers
        .findExcluded(client, listReleased(application))
        .map(({ version }) => version)
        .join(' '),
    /** Whether clients get different answers because of a staged rollout: then a shared cache must not store them. */
    isStaged: (application: string) => listReleased(application).staged.length > 0,
    problems: () => watched.state().problems,
    catalogue: () => watched.state().catalogue,
    revision: () => watched.state().revision,
    entryCounts: watched.entryCounts,
    reload: watched.reload,
    close: watched.close,
  }
}
