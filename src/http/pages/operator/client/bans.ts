import { element, one, onSubmit } from '../../shared/client/dom.ts'
import { type ActionContext, confirm, runAction } from './actions.ts'
import { formatCount, formatDateTime, formatInteger } from './format.ts'
import { button, createPart, note, table, time, untrusted } from './rows.ts'
import { Refused } from './session.ts'
import type { Ban } from './types.ts'

const FIELDS = ['address', 'reason'] as const

export function createBans(context: ActionContext) {
  const part = createPart('bans')
  const form = one<HTMLFormElement>('[data-ban]', part.root)
  const input = (name: string) => one<HTMLInputElement>(`#ban-${name}`, form)

  const mark = (field: string, message: string) => {
    one(`[data-error="${field}"]`, form).textContent = message
    input(field).ariaInvalid = message ? 'true' : null
  }

  async function add() {
    for (const field of FIELDS) mark(field, '')
    const [address, reason] = FIELDS.map((field) => input(field).value.trim())
    if (!address) {
      mark(
        'address',
        'Enter an IP address, or a network such as 192.0.2.0/24. A ban of an IPv6 address covers its /64.',
      )
      return input('address').focus()
    }
    const choice = one<HTMLSelectElement>('#ban-hours', form)
    const duration = choice.selectedOptions[0]?.textContent ?? ''
    const text = `Every endpoint replies 403 to this address for ${duration}.`
    if (!(await confirm({ title: `Ban ${address}?`, text, yes: 'Ban' }))) return undefined
    const error = await runAction(context, {
      part: part.root,
      button: one<HTMLButtonElement>('button', form),
      path: '/bans',
      body: { address, hours: Number(choice.value), ...(reason && { reason }) },
      done: `${address} is banned`,
      after: () => form.reset(),
    })
    const field = error instanceof Refused ? error.failure.field : undefined
    if (field !== 'address' && field !== 'reason') return undefined
    one('[data-problem]', part.root).textContent = ''
    mark(field, (error as Error).message)
    return input(field).focus()
  }

  onSubmit(form, add)

  const lift = ({ address }: Ban) =>
    button('Lift', address, (it) => {
      const path = `/bans/${encodeURIComponent(address)}`
      void runAction(context, {
        part: part.root,
        button: it,
        path,
        method: 'DELETE',
        done: `${address} is no longer banned`,
      })
    })

  return (bans: readonly Ban[], total: number) =>
    part.show({ bans, total }, () => {
      if (bans.length === 0) return [note('No bans.')]
      const heads = ['Address', 'Reason', 'Until', ...(context.mayWrite ? ['Lift'] : [])]
      const rows = bans
        .toSorted((a, b) => (a.at < b.at ? 1 : -1))
        .map((ban) => [
          element('code', {}, ban.address),
          element('span', {}, untrusted(ban.reason), element('small', {}, ` by ${ban.by}`)),
          time(ban.until, formatDateTime(ban.until)),
          ...(context.mayWrite ? [lift(ban)] : []),
        ])
      const hidden = total - bans.length
      const older = hidden > 0 ? `, of which the ${formatInteger(hidden)} oldest are not shown` : ''
      return [table('Bans', heads, rows), note(`${formatCount(total, 'ban', 'bans')}${older}.`)]
    })
}
