// Text lists, videos, tiers and the blocklist: each form edits one file or one entry.
import { element } from '../../../shared/client/dom.ts'
import { formatCount } from '../format.ts'
import { note } from '../rows.ts'
import { call } from '../session.ts'
import type { FormDefinition, Values } from './form.ts'
import { entryTable, type Section } from './section.ts'

export interface Kind {
  readonly category: string
  readonly kind: string
  readonly items: number
}

export const loadKinds = async () => (await call<{ kinds: Kind[] }>('/kinds')).kinds

const fileHint = 'One text per line; # starts a comment. Videos are a YAML list with id and title of each.'
const text = { name: 'text', label: 'Content of the file', type: 'file', hint: fileHint } as const

const force = { name: 'force', label: 'Allow less than half of the entries', type: 'switch' } as const

const putList = ({ category, kind, ...body }: { category?: string; kind?: string } & Values) => ({
  method: 'PUT' as const,
  path: `/lists/${category}/${encodeURIComponent(kind ?? '')}`,
  body,
})

const newList = (): FormDefinition => ({
  title: 'New kind of text or video',
  action: 'Publish',
  creates: true,
  fields: [
    { name: 'category', label: 'Category', type: 'choice', options: ['string', 'kaomoji', 'yt-video'] },
    { name: 'kind', label: 'Kind', type: 'text', hint: 'a-z, 0-9 and -.' },
    text,
  ],
  change: putList,
})

const listForms = ({ category, kind }: Kind): Record<string, FormDefinition> => {
  const path = `/lists/${category}/${kind}`
  const entry = [path, 'list'] as const
  return {
    Edit: {
      title: `${category}/${kind}`,
      action: 'Publish',
      entry,
      fields: [text, force],
      fill: ({ text }) => ({ text }),
      change: (values) => putList({ category, kind, ...values }),
    },
    Remove: {
      title: `Remove ${category}/${kind}`,
      about: 'A built-in kind then has its default list. Another kind no longer exists.',
      action: 'Remove',
      entry,
      change: () => ({ method: 'DELETE', path }),
    },
  }
}

export const lists: Section<readonly Kind[]> = {
  name: 'texts',
  title: 'Texts and videos',
  about: 'The lists in the content folder. A built-in kind without a file there has its default list.',
  create: { 'New kind': newList },
  load: async () => (await loadKinds()).filter(({ category }) => category !== 'animals'),
  show(kinds, tools) {
    if (kinds.length === 0) return [note('There are no lists in the content folder yet.')]
    const rows = kinds.map((list) => {
      const subject = `${list.category}/${list.kind}`
      return { subject, cells: [subject, String(list.items)], forms: listForms(list) }
    })
    return [entryTable('All lists', ['Kind', 'Items'], rows, tools)]
  },
}

interface Tier {
  readonly tier: number
  readonly name: string
  readonly resources: Readonly<Record<string, string>>
  readonly benefits: readonly string[]
}

const editTier = ({ tier, name }: Tier): FormDefinition => ({
  title: `Tier ${tier} (${name})`,
  action: 'Publish',
  entry: [`/tiers/${tier}`, 'tier'],
  fields: [
    {
      name: 'resources',
      label: 'Resources',
      type: 'pairs',
      hint: 'One name and version per line, such as “maps 1.4.0”.',
    },
    { name: 'benefits', label: 'Benefits', type: 'lines', hint: 'One per line.' },
  ],
  fill: ({ resources, benefits }) => ({ resources, benefits }),
  change: (values) => ({ method: 'PUT', path: `/tiers/${tier}`, body: { ...values, replace: true } }),
})

export const tiers: Section<readonly Tier[]> = {
  name: 'tiers',
  title: 'Tiers',
  about: 'What supporters get.',
  load: async () => {
    const replies = await Promise.all([2, 3].map((tier) => call<{ tier: Tier }>(`/tiers/${tier}`)))
    return replies.map(({ tier }) => tier)
  },
  show(tiers, tools) {
    const rows = tiers.map((tier) => {
      const resources = Object.entries(tier.resources).map((pair) => pair.join(' '))
      const cells = [`${tier.tier} (${tier.name})`, resources.join(', ') || 'none', tier.benefits.join(', ') || 'none']
      return { subject: `tier ${tier.tier}`, cells, forms: { Edit: editTier(tier) } }
    })
    return [entryTable('All tiers', ['Tier', 'Resources', 'Benefits'], rows, tools)]
  },
}

const editBlocklist = (): FormDefinition => ({
  title: 'Blocklist',
  action: 'Publish',
  entry: ['/blocklist', 'blocklist'],
  fields: [
    { ...text, hint: 'One domain per line. Hosts files, Adblock lists and dnsmasq lists are accepted too.' },
    force,
  ],
  fill: ({ text = '' }) => ({ text }),
  change: (body) => ({ method: 'PUT', path: '/blocklist', body }),
})

export const blocklist: Section<{ readonly text: string }> = {
  name: 'blocklist',
  title: 'Blocklist',
  about: 'Domains from which no image is fetched. It is used in addition to the downloaded list.',
  create: { Edit: editBlocklist },
  load: async () => (await call<{ blocklist: { text: string } }>('/blocklist')).blocklist,
  show({ text }) {
    const count = text.split('\n').filter((line) => /^\s*[^\s#!]/.test(line)).length
    return [element('p', {}, `Your own list has ${formatCount(count, 'entry', 'entries')}.`)]
  },
}
