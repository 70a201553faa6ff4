import { copy } from '../shared/client/copy.ts'
import { all, element } from '../shared/client/dom.ts'
import { copyCode, joinLanguages } from '../shared/client/languages.ts'

joinLanguages()
copyCode()
for (const sample of all('.sample')) {
  const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' })
  button.append(element('span', { className: 'unseen', textContent: ' the example' }))
  button.addEventListener('click', () => copy(sample.querySelector('code')?.textContent ?? '', button))
  sample.append(button)
}
