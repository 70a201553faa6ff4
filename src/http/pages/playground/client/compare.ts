import { one } from '../../shared/client/dom.ts'

interface Pictures {
  readonly before: Blob | undefined
  readonly after: Blob | undefined
}

/** Two images on top of each other; the divider sets how much of each is visible. */
export function createCompare() {
  const stage = one('[data-stage]')
  const card = one('[data-compare]', stage)
  const before = one<HTMLImageElement>('[data-before]', card)
  const after = one<HTMLImageElement>('[data-after]', card)
  const divider = one<HTMLInputElement>('[data-divider]', card)
  const waiting = one('[data-waiting]', stage)
  const nothing = one('[data-nothing]', stage)

  const moveDivider = () => {
    card.style.setProperty('--at', `${divider.value}%`)
    divider.setAttribute('aria-valuetext', `${divider.value} % before, ${100 - Number(divider.value)} % after`)
  }
  divider.addEventListener('input', moveDivider)
  moveDivider()

  /** The card takes the shape of the result, or of the original if there is no result. */
  function fitCard(): void {
    const { naturalWidth: width, naturalHeight: height } = after.hidden ? before : after
    if (width === 0 || height === 0) return
    card.style.setProperty('--ratio', String(width / height))
    card.style.setProperty('--natural-width', `${width}px`)
  }

  let lastTurn = 0
  const shown = new Map<HTMLImageElement, Blob>()
  function setSource(picture: HTMLImageElement, blob: Blob | undefined): void {
    if (blob && shown.get(picture) === blob) return
    if (picture.src) URL.revokeObjectURL(picture.src)
    picture.hidden = blob === undefined
    if (blob) {
      shown.set(picture, blob)
      picture.src = URL.createObjectURL(blob)
    } else {
      shown.delete(picture)
      picture.removeAttribute('src')
    }
  }

  return {
    /** The size of an image is known when it is decoded. Until then nothing changes, so that nothing moves twice. */
    async show(pictures: Pictures) {
      setSource(before, pictures.before)
      setSource(after, pictures.after)
      const turn = ++lastTurn
      await Promise.all([before, after].map((picture) => !picture.hidden && picture.decode().catch(() => {})))
      if (turn !== lastTurn) return
      fitCard()
      const hasBoth = !before.hidden && !after.hidden
      const hasNone = before.hidden && after.hidden
      divider.hidden = !hasBoth
      card.classList.toggle('divided', hasBoth)
      card.hidden = hasNone
      nothing.hidden = !hasNone
      stage.classList.toggle('filled', !hasNone)
    },
    setBusy(busy: boolean) {
      stage.ariaBusy = String(busy)
      waiting.hidden = !busy
    },
  }
}
