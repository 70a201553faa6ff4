import { copy } from '../shared/client/copy.ts'
import { all, element } from '../shared/client/dom.ts'
import { connectCopyButtons, connectLanguageChoice } from '../shared/client/languages.ts'
import { connectSearchKeys } from '../shared/client/search-keys.ts'

connectLanguageChoice()
connectCopyButtons()
connectSearchKeys()
for (const sample of all('.sample')) {
  const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' })
  button.append(element('span', { className: 'unseen', textContent: ' the example' }))
  button.addEventListener('click', () => copy(sample.querySelector('code')?.textContent ?? '', button))
  sample.append(button)
}
