import { element } from '../../shared/client/dom.ts'
import { type ActionContext, confirm, runAction, showKey } from './actions.ts'
import { formatDateTime } from './format.ts'
import { button, createPart, formatCommand, note, table, time, untrusted } from './rows.ts'
import type { Client } from './types.ts'

const MAX_SHOWN = 20

type Decide = (client: Client, button: HTMLButtonElement) => void

export function createClients(context: ActionContext) {
  const part = createPart('clients')
  const send = (what: string, client: Client, button: HTMLButtonElement, done: string) =>
    runAction<{ key?: string }>(context, {
      part: part.root,
      button,
      path: `/clients/${encodeURIComponent(client.id)}/${what}`,
      done,
      after: ({ key }) => (key === undefined ? undefined : showKey(key, client)),
    })

  const grant: Decide = (client, button) => void send('grant', client, button, `${client.name} has a key`)
  const refuse: Decide = async (client, button) => {
    const text =
      'The service does not tell the person: write to the contact yourself. You can still grant the request later.'
    if (await confirm({ title: `Refuse ${client.name}?`, text, yes: 'Refuse' }))
      await send('refuse', client, button, `${client.name} is refused`)
  }
  const revoke: Decide = async (client, button) => {
    const text =
      'Its requests get 401 within a second, on every node. The key cannot be restored; you can grant a new one.'
    if (await confirm({ title: `Revoke the key of ${client.name}?`, text, yes: 'Revoke' }))
      await send('revoke', client, button, `The key of ${client.name} is revoked`)
  }

  const buttons = (client: Client) => {
    if (!context.mayWrite) return []
    const one = (text: string, decide: Decide, look?: Parameters<typeof button>[3]) =>
      button(text, client.name, (it) => decide(client, it), look)
    if (client.state === 'pending') return [one('Grant', grant, 'press quiet'), one('Refuse', refuse, 'second danger')]
    return [client.state === 'granted' ? one('Revoke', revoke, 'second danger') : one('Grant', grant)]
  }

  const request = (client: Client) =>
    element(
      'li',
      { className: 'request' },
      element('p', {}, element('b', {}, untrusted(client.name)), ' ', untrusted(client.contact)),
      // A long reason scrolls, also by keyboard.
      element(
        'p',
        { className: 'reason', dir: 'auto', role: 'group', ariaLabel: `Request of ${client.name}`, tabIndex: 0 },
        client.reason,
      ),
      element('p', { className: 'aside' }, 'Requested ', time(client.createdAt, formatDateTime(client.createdAt))),
      element('div', { className: 'buttons' }, ...buttons(client)),
    )

  const row = (client: Client) => [
    untrusted(client.name),
    untrusted(client.contact),
    element(
      'span',
      {},
      `${client.state} `,
      element('small', {}, client.decidedAt ? formatDateTime(client.decidedAt) : ''),
    ),
    ...(context.mayWrite ? [element('div', { className: 'buttons' }, ...buttons(client))] : []),
  ]

  return (clients: readonly Client[]) =>
    part.show(clients, () => {
      const newest = clients.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      const pending = newest.filter(({ state }) => state === 'pending')
      const decided = newest.filter(({ state }) => state !== 'pending')
      const heads = ['Name', 'Contact', 'State', ...(context.mayWrite ? ['Decide'] : [])]
      return [
        pending.length > 0
          ? element('ul', {}, ...pending.slice(0, MAX_SHOWN).map(request))
          : note('No pending requests.'),
        ...more(pending.length),
        ...(decided.length > 0
          ? [table('Decided', heads, decided.slice(0, MAX_SHOWN).map(row)), ...more(decided.length)]
          : []),
      ]
    })
}

const more = (count: number) =>
  count > MAX_SHOWN ? [note(`${count - MAX_SHOWN} more: “${formatCommand('clients list')}” shows all.`)] : []
