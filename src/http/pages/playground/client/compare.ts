import { one } from '../../shared/client/dom.ts'

interface Pictures {
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Two images on top of each other; the divider sets how much of each is visible. */
export function createCompare() {
  const root = one('[data-compare]')
  const before = one<HTMLImageElement>('[data-before]', root)
  const after = one<HTMLImageElement>('[data-after]', root)
  const divider = one<HTMLInputElement>('[data-divider]', root)
  const waiting = one('[data-waiting]', root)
  const nothing = one('[data-nothing]', root)

  const moveDivider = () => {
    root.style.setProperty('--at', `${divider.value}%`)
    divider.setAttribute('aria-valuetext', `${divider.value} % before, ${100 - Number(divider.value)} % after`)
  }
  divider.addEventListener('input', moveDivider)
  moveDivider()

  const setSource = (picture: HTMLImageElement, src: string | undefined) => {
    if (picture.src.startsWith('blob:') && picture.src !== src) URL.revokeObjectURL(picture.src)
    picture.hidden = src === undefined
    if (src === undefined) picture.removeAttribute('src')
    else picture.src = src
  }

  return {
    show(pictures: Pictures) {
      setSource(before, pictures.before)
      setSource(after, pictures.after)
      divider.hidden = pictures.before === undefined || pictures.after === undefined
      root.classList.toggle('divided', !divider.hidden)
      nothing.hidden = pictures.before !== undefined || pictures.after !== undefined
    },
    setBusy(busy: boolean) {
      root.ariaBusy = String(busy)
      waiting.hidden = !busy
    },
  }
}
