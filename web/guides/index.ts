import { copy } from '../shared/copy.ts'
import { all, element } from '../shared/dom.ts'
import { copyCode, joinLanguages } from '../shared/languages.ts'

joinLanguages()
copyCode()
for (const sample of all('.sample')) {
  const button = element('button', { className: 'copy', type: 'button', textContent: 'Copy' })
  button.append(element('span', { className: 'unseen', textContent: ' the example' }))
  button.addEventListener('click', () => copy(sample.querySelector('code')?.textContent ?? '', button))
  sample.append(button)
}
