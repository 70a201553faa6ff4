import { copy } from '../shared/client/copy.ts'
import { all, element } from '../shared/client/dom.ts'
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
  const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' })
  button.append(element('span', { className: 'visually-hidden', textContent: ' the example' }))
  button.addEventListener('click', () => copy(sample.querySelector('code')?.textContent ?? '', button))
  sample.append(button)
}
