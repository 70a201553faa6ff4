import { element } from '../../shared/client/dom.ts'
import { type Acting, act } from './acting.ts'
import { confirmed, showKey } from './dialogs.ts'
import { onDate } from './format.ts'
import { button, createPart, nothing, outside, table, time } from './rows.ts'
import type { Client } from './types.ts'

const MAX_SHOWN = 20

type Decide = (client: Client, button: HTMLButtonElement) => void

/** Who asks for a key, and who has one. */
export function createClients(acting: Acting) {
  const part = createPart('clients')
  const send = (what: string, client: Client, button: HTMLButtonElement, done: string) =>
    act<{ key?: string }>(acting, {
      part: part.root,
      button,
      path: `/clients/${encodeURIComponent(client.id)}/${what}`,
      done,
      after: ({ key }) => (key === undefined ? undefined : showKey(key, client)),
    })

  const grant: Decide = (client, button) => void send('grant', client, button, `${client.name} has a key`)
  const refuse: Decide = async (client, button) => {
    const text = 'Nobody is told by the service; write to the contact yourself. A refusal can be taken back.'
    if (await confirmed({ title: `Refuse ${client.name}?`, text, yes: 'Refuse' }))
      await send('refuse', client, button, `${client.name} is refused`)
  }
  const revoke: Decide = async (client, button) => {
    const text =
      'Its programs are answered with 401 within a second, on every node. The key cannot be given back, only a new one.'
    if (await confirmed({ title: `Take the key of ${client.name} back?`, text, yes: 'Take it back' }))
      await send('revoke', client, button, `The key of ${client.name} is taken back`)
  }

  const buttons = (client: Client) => {
    if (!acting.mayWrite) return []
    const one = (text: string, decide: Decide, main = false) =>
      button(text, client.name, (it) => decide(client, it), main)
    if (client.state === 'asked') return [one('Grant', grant, true), one('Refuse', refuse)]
    return [client.state === 'granted' ? one('Take back', revoke) : one('Grant', grant)]
  }

  const request = (client: Client) =>
    element(
      'li',
      { className: 'request' },
      element('p', {}, element('b', {}, outside(client.name)), ' ', outside(client.contact)),
      element('p', { className: 'reason', dir: 'auto' }, client.reason),
      element('p', { className: 'aside' }, 'Asked ', time(client.createdAt, onDate(client.createdAt))),
      element('div', { className: 'buttons' }, ...buttons(client)),
    )

  const row = (client: Client) => [
    outside(client.name),
    outside(client.contact),
    element('span', {}, `${client.state} `, element('small', {}, client.decidedAt ? onDate(client.decidedAt) : '')),
    ...(acting.mayWrite ? [element('div', { className: 'buttons' }, ...buttons(client))] : []),
  ]

  return (clients: readonly Client[]) =>
    part.show(clients, () => {
      const newest = clients.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      const asked = newest.filter(({ state }) => state === 'asked')
      const decided = newest.filter(({ state }) => state !== 'asked')
      const heads = ['Name', 'Contact', 'State', ...(acting.mayWrite ? ['Decide'] : [])]
      return [
        asked.length > 0
          ? element('ul', {}, ...asked.slice(0, MAX_SHOWN).map(request))
          : nothing('Nobody waits for an answer.'),
        ...more(asked.length),
        ...(decided.length > 0
          ? [table('Decided', heads, decided.slice(0, MAX_SHOWN).map(row)), ...more(decided.length)]
          : []),
      ]
    })
}

const more = (count: number) =>
  count > MAX_SHOWN ? [nothing(`And ${count - MAX_SHOWN} more: “menagerie clients list” has them all.`)] : []
