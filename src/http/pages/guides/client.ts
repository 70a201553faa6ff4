import { copy } from '../shared/client/copy.ts'
import { all, createButton, element } from '../shared/client/dom.ts'
import { highlightJson } from '../shared/client/highlight-json.ts'
import { connectCopyButtons, connectLanguageChoice } from '../shared/client/languages.ts'
import { connectSearchKeys } from '../shared/client/search-keys.ts'
import { connectLiveSearch } from './client/live-search.ts'

connectLanguageChoice()
connectCopyButtons()
connectSearchKeys()
connectLiveSearch()
// On a small screen, the list is a row that scrolls.
document.querySelector('.guide-list [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
for (const sample of all('.sample')) {
  const code = sample.querySelector('code')
  if (code?.textContent?.startsWith('{')) highlightJson(code)
  const what = element('span', { className: 'visually-hidden' }, ' the example')
  const button = createButton('copy', () => copy(code?.textContent ?? '', button), 'Copy', what)
  sample.append(button)
}
