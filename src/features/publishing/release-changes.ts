import Type from 'typebox'
import type { Change } from '../../platform/files/index.ts'
import * as releases from '../releases/index.ts'
import { type ChangeContext, defineChange, OptionalText, removeUploads, Switch, Text, toSource } from './change.ts'

const release = {
  application: Type.Enum([...releases.applications], { description: 'The application.' }),
  version: Type.String({ pattern: releases.versionPattern, description: 'Version, such as 8.7.3.1 or 2.1.0-beta.1.' }),
}
const time = OptionalText('Time of publication, such as 2026-12-01T10:00Z. Default: now.')
const force = Switch('Allows a version that is older than the newest one.')

const sourceFields = {
  upload: OptionalText('SHA-256 of a complete upload.'),
  name: OptionalText(
    'Name of the uploaded file. Platform, architecture and kind are guessed from it, unless they are given.',
  ),
  url: OptionalText('URL of the file, if another server offers it.'),
  bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Size of the file at the URL, or of a file that a dry run does not upload.',
    }),
  ),
  sha256: OptionalText('SHA-256 of the file at the URL.'),
}
const { platforms, archs, assetKinds, ANY } = releases
const Asset = Type.Object(
  {
    ...sourceFields,
    sha512: OptionalText('SHA-512 of the file at the URL. electron-updater needs it.'),
    sha1: OptionalText('SHA-1 of the file at the URL. Velopack needs it.'),
    platform: Type.Optional(Type.Enum([...platforms, ANY])),
    arch: Type.Optional(Type.Enum([...archs, ANY])),
    kind: Type.Optional(Type.Enum([...assetKinds])),
    signature: OptionalText('Signature of the Tauri bundler, or EdDSA signature of Sparkle.'),
  },
  { additionalProperties: false, description: 'A file: either an upload or a URL.' },
)
/** Over HTTP an asset is an upload or a URL; commands may also give the path of a file. */
type AssetInput = Type.Static<typeof Asset> | releases.AssetSource

const MAX_LANGUAGES = 200
const Notes = Type.Union([Type.String(), Type.Record(Type.String(), Type.String())], {
  maxProperties: MAX_LANGUAGES,
  description: 'Markdown, or Markdown by language tag. The first language is the original.',
})
const Rollout = Type.Integer({ description: 'Percentage of installations that are offered the release, 0 to 100.' })
const rampFields = {
  steps: Type.Array(Type.Number(), {
    maxItems: 100,
    description: 'Percentages of installations, ascending, such as 10, 50, 100.',
  }),
  every: Text('Time between two steps, from 1m to 30d.'),
  maxFailures: Type.Optional(
    Type.Number({ description: 'The ramp is paused when a larger percentage of installations failed.' }),
  ),
}

const nameRelease = ({ application, version }: { application: string; version: string }) => `${application} ${version}`

const resources = { version: release.version }
const nameResources = ({ version }: { version: string }) => `resources ${version}`

type Run<Options, Result> = (options: Options & ChangeContext) => Promise<Change & Result>

/** Changes of a published release, and of resources, that need no more than the version. */
const changeState = <Result extends object>(summary: string, run: Run<releases.ReleaseChangeOptions, Result>) =>
  defineChange()({
    summary,
    input: Type.Object(release),
    subject: nameRelease,
    run: (input, context) => run({ ...input, ...context }),
  })
const changeResources = <Result extends object>(summary: string, run: Run<{ readonly version: string }, Result>) =>
  defineChange()({
    summary,
    input: Type.Object(resources),
    subject: nameResources,
    run: ({ version }, context) => run({ version, ...context }),
  })

export const releaseChanges = {
  'release publish': defineChange<{ readonly assets: readonly AssetInput[] }>()({
    summary: 'Publish the files of a release, or add files to a published one',
    description:
      'Send each file to `operator/uploads/{sha256}` first. A file that is already published with the same SHA-256, ' +
      'platform, architecture and kind is left as it is, so the request can be repeated. If the service lost or ' +
      'damaged it, it is restored.',
    input: Type.Object({
      ...release,
      assets: Type.Array(Asset, { maxItems: releases.MAX_ASSETS, description: 'The files.' }),
      notes: Type.Optional(Notes),
      beta: Switch('Publishes to the beta channel only.'),
      rollout: Type.Optional(Rollout),
      ramp: Type.Optional(Type.Object(rampFields, { additionalProperties: false })),
      minimum: OptionalText('The update is mandatory for installations below this version.'),
      autoUpdateFrom: OptionalText(
        'In installations below this version, Sparkle asks the user before it installs the update.',
      ),
      replace: Switch('Replaces published files of the same platform, architecture and kind.'),
      at: time,
      force,
    }),
    subject: nameRelease,
    async run({ assets, ...input }, { uploads, ...context }) {
      const sources = assets.map((asset) => toSource(asset, uploads))
      const published = await releases.publishRelease({ ...input, ...context, assets: sources })
      await removeUploads(assets, { uploads, ...context })
      return published
    },
  }),
  'release notes': defineChange()({
    summary: 'Replace the notes of a release',
    description: 'A text replaces the notes of one language and leaves its translations; an object replaces all.',
    input: Type.Object({
      ...release,
      notes: Type.Optional(Notes),
      lang: OptionalText('Language of the text. Default: that of the original.'),
    }),
    subject: nameRelease,
    run: (input, context) => releases.setNotes({ ...input, ...context }),
  }),
  'release minimum': defineChange()({
    summary: 'Set the version below which an update to a release is mandatory',
    input: Type.Object({ ...release, minimum: OptionalText('A version. Default: no update is mandatory.') }),
    subject: nameRelease,
    run: (input, context) => releases.setMinimum({ ...input, ...context }),
  }),
  'release rollout': defineChange()({
    summary: 'Set the rollout of a release, and end its ramp',
    input: Type.Object({ ...release, rollout: Rollout }),
    subject: nameRelease,
    run: (input, context) => releases.rollOutRelease({ ...input, ...context }),
  }),
  'release ramp': defineChange()({
    summary: 'Start a ramp of a release',
    input: Type.Object({ ...release, ...rampFields }),
    subject: nameRelease,
    run: ({ steps, every, maxFailures, ...input }, context) =>
      releases.rampRelease({
        ...input,
        ...context,
        ramp: { steps, every, ...(maxFailures !== undefined && { maxFailures }) },
      }),
  }),
  'release pause': changeState('Pause the ramp of a release', releases.pauseRamp),
  'release resume': changeState('Resume the ramp of a release', releases.resumeRamp),
  'release report-failures': defineChange()({
    summary: 'Report failed installations, which may pause the ramp of a release',
    input: Type.Object({
      ...release,
      failed: Type.Integer({ description: 'Number of installations that failed.' }),
      total: Type.Integer({ description: 'Number of installations that tried the release.' }),
    }),
    subject: nameRelease,
    run: (input, context) => releases.reportFailures({ ...input, ...context }),
  }),
  'release withdraw': changeState('Withdraw a release', releases.withdrawVersion),
  'release restore': changeState('Restore a withdrawn release', releases.restoreVersion),
  'release supersede': defineChange()({
    summary: 'Replace a withdrawn release: publish the files of the release before it under a higher version',
    input: Type.Object({
      ...release,
      newVersion: Text('The version to publish.'),
      notes: OptionalText('Markdown. Default: the notes of the older release.'),
    }),
    subject: nameRelease,
    run: (input, context) => releases.supersedeRelease({ ...input, ...context }),
  }),
}

export const resourcesChanges = {
  'resources publish': defineChange<releases.AssetSource>()({
    summary: 'Publish resources of the launcher',
    input: Type.Object({ ...resources, ...sourceFields, at: time, force }),
    subject: nameResources,
    async run(input, { uploads, ...context }) {
      const published = await releases.publishResources({ ...toSource(input, uploads), ...context })
      await removeUploads([input], { uploads, ...context })
      return published
    },
  }),
  'resources remove': changeResources('Remove resources of the launcher from the list', releases.removeResources),
  'resources withdraw': changeResources('Withdraw resources of the launcher', releases.withdrawVersion),
  'resources restore': changeResources('Restore withdrawn resources of the launcher', releases.restoreVersion),
}
