import { formatBytes, formatDateTime } from '../format.ts'
import { describeRollout } from '../published.ts'
import { note, time, untrusted } from '../rows.ts'
import { call } from '../session.ts'
import type { Content, Release } from '../types.ts'
import type { FieldDefinition } from './fields.ts'
import type { ChangeRequest, FormDefinition, Values } from './form.ts'
import { entryTable, type Section } from './section.ts'

interface ReleaseEntry extends Omit<Release, 'bytes'> {
  readonly application: string
  readonly state: string
}

const percent: FieldDefinition = { name: 'rollout', label: 'Rollout', type: 'percent', value: 100 }
const notes: FieldDefinition = { name: 'notes', label: 'Notes', type: 'notes' }
const minimum: FieldDefinition = {
  name: 'minimum',
  label: 'Minimum',
  type: 'text',
  hint: 'The update is mandatory for installations below this version. Empty: for none.',
}
const rampFields: readonly FieldDefinition[] = [
  { name: 'steps', label: 'Steps', type: 'numbers', hint: 'Percentages of installations, such as 10, 50, 100.' },
  { name: 'every', label: 'Time between two steps', type: 'text', hint: 'From 1m to 30d, such as 12h.' },
  { name: 'maxFailures', label: 'Pause when more installations fail (%)', type: 'number' },
]
export const at: FieldDefinition = {
  name: 'at',
  label: 'Time of publication',
  type: 'text',
  hint: 'Such as 2026-12-01T10:00Z. Empty: now.',
}
const force: FieldDefinition = { name: 'force', label: 'Allow a version below the newest one', type: 'switch' }
const URL_GROUP = 'A file on another server'
/** A file at a URL, instead of an uploaded one. */
const urlFields: readonly FieldDefinition[] = [
  { name: 'url', label: 'URL', type: 'text', group: URL_GROUP },
  { name: 'bytes', label: 'Size in bytes', type: 'number', group: URL_GROUP },
  { name: 'sha256', label: 'SHA-256', type: 'text', group: URL_GROUP },
]
const assets: FieldDefinition = { name: 'assets', label: 'Files', type: 'assets' }

const inGroup = (group: string, fields: readonly FieldDefinition[]) => fields.map((field) => ({ ...field, group }))

const pathOf = (application: unknown, version: unknown) =>
  `/releases/${application}/${encodeURIComponent(String(version ?? ''))}`

/** The body of a request with files. The ramp is an object of its own. */
function toBody({
  assets = [],
  url,
  bytes,
  sha256,
  steps,
  every,
  maxFailures,
  ...rest
}: Values & { assets?: object[] }): Values {
  const linked = url === undefined ? [] : [{ url, bytes, sha256 }]
  const ramp = steps === undefined ? undefined : { steps, every, ...(maxFailures !== undefined && { maxFailures }) }
  const rollout = ramp || rest.rollout === 100 ? undefined : rest.rollout
  return { ...rest, rollout, ramp, assets: [...assets, ...linked] }
}

interface PublishedAssets {
  readonly assets?: readonly { readonly name: string; platform: string; arch: string; kind: string; bytes: number }[]
}
const describeAssets = ([{ assets = [] } = {}]: readonly PublishedAssets[]) =>
  assets.map((asset) => `${asset.name}: ${asset.platform}, ${asset.arch}, ${asset.kind}, ${formatBytes(asset.bytes)}`)

const newRelease = (): FormDefinition => ({
  title: 'New release',
  action: 'Publish',
  about: 'Platform, architecture and kind of a file are guessed from its name. The check shows them.',
  fields: [
    { name: 'application', label: 'Application', type: 'choice', options: ['launcher', 'reshade', 'fpsUnlocker'] },
    { name: 'version', label: 'Version', type: 'text', hint: 'Such as 2.1.0.' },
    assets,
    ...urlFields,
    notes,
    percent,
    ...inGroup('Ramp instead of a fixed rollout', rampFields),
    ...inGroup('More', [
      minimum,
      at,
      { name: 'beta', label: 'Only for the beta channel', type: 'switch' },
      { name: 'autoUpdateFrom', label: 'Sparkle asks before the update in versions below', type: 'text' },
      force,
    ]),
  ],
  change: ({ application, version, ...values }) => ({
    method: 'PUT',
    path: pathOf(application, version),
    body: toBody(values),
  }),
  describe: describeAssets,
})

function releaseForms({ application, version, withdrawn, ramp }: ReleaseEntry): Record<string, FormDefinition> {
  const path = pathOf(application, version)
  const subject = `${application} ${version}`
  const entry = [path, 'release'] as const
  const edit = (title: string, action: string, name: string, fields: readonly FieldDefinition[]): FormDefinition => ({
    title: `${title} of ${subject}`,
    action,
    entry,
    fields,
    fill: (release) => release,
    change: (body) => ({ method: 'PUT', path: `${path}/${name}`, body }),
  })
  const act = (verb: string, fields: readonly FieldDefinition[] = []): FormDefinition => ({
    title: `${verb} ${subject}`,
    action: verb,
    entry,
    fields,
    change: (values) => ({
      method: 'POST',
      path: `${path}/${verb.toLowerCase().replace(' ', '-')}`,
      ...(fields.length > 0 && { body: values }),
    }),
  })
  if (withdrawn) {
    const newVersion: FieldDefinition = { name: 'newVersion', label: 'New version', type: 'text' }
    return {
      Restore: act('Restore'),
      Supersede: {
        ...act('Supersede', [newVersion]),
        about: 'Publishes the files of the release before it under a higher version.',
      },
    }
  }
  return {
    Notes: edit('Notes', 'Publish', 'notes', [notes]),
    Rollout: { ...edit('Rollout', 'Roll out', 'rollout', [percent]), about: 'Ends the ramp, if there is one.' },
    Ramp: { ...edit('Ramp', 'Start', 'ramp', rampFields), fill: ({ ramp }) => (ramp as Values | undefined) ?? {} },
    ...(ramp && { [ramp.pausedAt ? 'Resume' : 'Pause']: act(ramp.pausedAt ? 'Resume' : 'Pause') }),
    ...(ramp && {
      'Report failures': act('Report failures', [
        { name: 'failed', label: 'Failed installations', type: 'number' },
        { name: 'total', label: 'All installations that tried it', type: 'number' },
      ]),
    }),
    Minimum: edit('Minimum', 'Publish', 'minimum', [minimum]),
    'Add files': {
      ...edit('Files', 'Publish', '', [
        assets,
        ...urlFields,
        { name: 'replace', label: 'Replace files of the same platform, architecture and kind', type: 'switch' },
      ]),
      fill: () => ({}),
      change: (values) => ({ method: 'PUT', path, body: toBody(values) }),
      describe: describeAssets,
    },
    Withdraw: act('Withdraw'),
  }
}

const describeState = ({ state, beta, ...release }: ReleaseEntry) =>
  `${['withdrawn', 'scheduled'].includes(state) ? state : describeRollout(release)}${beta ? ', beta' : ''}`

const sumBytes = (files: readonly { readonly bytes: number }[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

export const releases: Section<readonly ReleaseEntry[]> = {
  name: 'releases',
  title: 'Releases',
  about: 'Versions of the applications with their files.',
  create: { 'New release': newRelease },
  load: async () => (await call<{ releases: ReleaseEntry[] }>('/releases')).releases,
  show(all, tools) {
    if (all.length === 0) return [note('No releases yet.')]
    const rows = all.map((release) => {
      const { application, version, date, assets } = release
      const subject = `${application} ${version}`
      const files = [...new Set(assets.map(({ platform, arch }) => `${platform} ${arch}`))].join(', ')
      const size = `${files}, ${formatBytes(sumBytes(assets))}`
      const cells = [untrusted(subject), describeState(release), time(date, formatDateTime(date)), size]
      return { subject, cells, forms: releaseForms(release) }
    })
    return [entryTable('All releases', ['Release', 'State', 'Date', 'Files'], rows, tools)]
  },
}

type ResourcesEntry = Content['resources'][number] & { readonly state: string }

const newResources = (): FormDefinition => ({
  title: 'New resources',
  action: 'Publish',
  fields: [
    { name: 'version', label: 'Version', type: 'text', hint: 'Such as 3.2.0.' },
    { name: 'files', label: 'File', type: 'files' },
    ...urlFields,
    ...inGroup('More', [at, force]),
  ],
  change({ version, files = [], ...body }: Values & { files?: readonly Values[] }) {
    if (files.length > 1) throw new Error('Choose one file.')
    const path = `/resources/${encodeURIComponent(String(version ?? ''))}`
    return { method: 'PUT', path, body: { ...body, ...files[0] } }
  },
})

export const resources: Section<readonly ResourcesEntry[]> = {
  name: 'resources',
  title: 'Resources',
  about: 'A file with data for the launcher, which has versions of its own.',
  create: { 'New resources': newResources },
  load: async () => (await call<{ resources: ResourcesEntry[] }>('/resources')).resources,
  show(all, tools) {
    if (all.length === 0) return [note('No resources yet.')]
    const rows = all.map(({ version, state, date, bytes, withdrawn }) => {
      const path = `/resources/${encodeURIComponent(version)}`
      const verb = withdrawn ? 'Restore' : 'Withdraw'
      const act = (action: string, request: ChangeRequest): FormDefinition => ({
        title: `${action} resources ${version}`,
        action,
        entry: [path, 'resources'],
        change: () => request,
      })
      const forms = {
        [verb]: act(verb, { method: 'POST', path: `${path}/${verb.toLowerCase()}` }),
        Remove: act('Remove', { method: 'DELETE', path }),
      }
      const cells = [untrusted(version), state, time(date, formatDateTime(date)), formatBytes(bytes)]
      return { subject: `resources ${version}`, cells, forms }
    })
    return [entryTable('All resources', ['Version', 'State', 'Date', 'Size'], rows, tools)]
  },
}
