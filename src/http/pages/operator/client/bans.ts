import { element, one } from '../../shared/client/dom.ts'
import { type Acting, act } from './acting.ts'
import { confirmed } from './dialogs.ts'
import { inWhole, onDate } from './format.ts'
import { button, createPart, nothing, outside, table, time } from './rows.ts'
import { Refused } from './session.ts'
import type { Ban } from './types.ts'

const FIELDS = ['address', 'reason'] as const

/** Who is shut out, and why. */
export function createBans(acting: Acting) {
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
      mark('address', 'Which address? IPv4, or IPv6, of which the /64 is meant.')
      return input('address').focus()
    }
    const choice = one<HTMLSelectElement>('#ban-hours', form)
    const long = choice.selectedOptions[0]?.textContent ?? ''
    const own =
      acting.client.split('/')[0] === address ? ' That is the address you come from: you would shut yourself out.' : ''
    const text = `Every endpoint answers it with 403 for ${long}.${own}`
    if (!(await confirmed({ title: `Ban ${address}?`, text, yes: 'Ban' }))) return undefined
    const wrong = await act(acting, {
      part: part.root,
      button: one<HTMLButtonElement>('button', form),
      path: '/bans',
      wish: { address, hours: Number(choice.value), ...(reason && { reason }) },
      done: `${address} is banned`,
      after: () => form.reset(),
    })
    const field = wrong instanceof Refused ? wrong.failure.field : undefined
    if (field !== 'address' && field !== 'reason') return undefined
    one('[data-trouble]', part.root).textContent = ''
    mark(field, (wrong as Error).message)
    return input(field).focus()
  }

  form.onsubmit = (event) => {
    event.preventDefault()
    void add()
  }

  const lift = ({ address }: Ban) =>
    button('Lift', address, (it) => {
      const path = `/bans/${encodeURIComponent(address)}`
      void act(acting, { part: part.root, button: it, path, method: 'DELETE', done: `${address} may come again` })
    })

  return (bans: readonly Ban[], total: number) =>
    part.show({ bans, total }, () => {
      if (bans.length === 0) return [nothing('Nobody is banned.')]
      const heads = ['Address', 'Why', 'Until', ...(acting.mayWrite ? ['Lift'] : [])]
      const rows = bans
        .toSorted((a, b) => (a.at < b.at ? 1 : -1))
        .map((ban) => [
          element('code', {}, ban.address),
          element('span', {}, outside(ban.reason), element('small', {}, ` by ${ban.by}`)),
          time(ban.until, onDate(ban.until)),
          ...(acting.mayWrite ? [lift(ban)] : []),
        ])
      const older = total - bans.length
      return [table('Bans', heads, rows), ...(older > 0 ? [nothing(`And ${inWhole(older)} older ones.`)] : [])]
    })
}
