import { one } from '../../shared/client/dom.ts'

export interface Pictures {
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Two pictures over each other; the divider says how much is seen of which. */
export function createCompare() {
  const root = one('[data-compare]')
  const before = one<HTMLImageElement>('[data-before]', root)
  const after = one<HTMLImageElement>('[data-after]', root)
  const divider = one<HTMLInputElement>('[data-divider]', root)
  const waiting = one('[data-waiting]', root)
  const nothing = one('[data-nothing]', root)

  const divide = () => {
    root.style.setProperty('--at', `${divider.value}%`)
    divider.setAttribute('aria-valuetext', `${divider.value} % before, ${100 - Number(divider.value)} % after`)
  }
  divider.addEventListener('input', divide)
  divide()

  const put = (picture: HTMLImageElement, src: string | undefined) => {
    if (picture.src.startsWith('blob:') && picture.src !== src) URL.revokeObjectURL(picture.src)
    picture.hidden = src === undefined
    if (src === undefined) picture.removeAttribute('src')
    else picture.src = src
  }

  return {
    show(pictures: Pictures) {
      put(before, pictures.before)
      put(after, pictures.after)
      divider.hidden = pictures.before === undefined || pictures.after === undefined
      root.classList.toggle('divided', !divider.hidden)
      nothing.hidden = pictures.before !== undefined || pictures.after !== undefined
    },
    wait(busy: boolean) {
      root.ariaBusy = String(busy)
      waiting.hidden = !busy
    },
  }
}
