import { element } from '../../shared/client/dom.ts'
import { formatInteger, formatPercent } from './format.ts'
import { createPart, note } from './rows.ts'
import type { Live } from './types.ts'

export function createGroups() {
  const part = createPart('groups')
  return ({ groups }: Live) => {
    const counts = Object.entries(groups)
      .map(([name, column]) => ({ name, count: column.reduce((sum, value) => sum + value, 0) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
    const total = counts.reduce((sum, { count }) => sum + count, 0)
    part.show(counts, () =>
      counts.length === 0
        ? [note('No requests in this range.')]
        : [
            element(
              'ol',
              { className: 'shares' },
              ...counts.map(({ name, count }) => {
                const bar = element('span', { className: 'share' })
                bar.style.setProperty('--share', `${(count / (counts[0]?.count ?? 1)) * 100}%`)
                const title = name === 'none' ? 'Unknown path' : name
                return element(
                  'li',
                  {},
                  element('span', {}, title),
                  bar,
                  element('b', {}, formatInteger(count)),
                  element('small', {}, formatPercent(count / total)),
                )
              }),
            ),
          ],
    )
  }
}
