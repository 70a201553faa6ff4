// `<menagerie-animal kind="fox" name="Ada">` shows the animal of a name; without a name, a random one.

import type { Picture } from './random.ts'

const DEFAULT_SIZE = 256
/** Where every service serves this module. Then the attribute `service` is not needed. */
const SERVED_PATH = /site\/element\.js(?:\?.*)?$/

// A program that renders pages on a server can import the module, too.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement

const findService = (attribute: string | null): URL => {
  if (attribute) return new URL(attribute.endsWith('/') ? attribute : `${attribute}/`, document.baseURI)
  const moduleUrl: string | undefined = import.meta.url
  if (moduleUrl && SERVED_PATH.test(moduleUrl)) return new URL(moduleUrl.replace(SERVED_PATH, ''))
  throw new Error('<menagerie-animal> needs the attribute service, such as service="https://menagerie.example".')
}

/** Half of a surrogate pair cannot be encoded. */
const encodeName = (name: string) => encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\ufffd'))

/**
 * Attributes: `kind` (default: any kind, or cat with a name), `name`, `size`, the width in pixels (default: 256),
 * `background="none"` for a sticker (only with a name), `alt`, and `service`, the URL of the service. Style the picture with
 * `::part(image)`.
 */
export class MenagerieAnimal extends Base {
  static readonly observedAttributes = ['kind', 'name', 'size', 'background', 'alt', 'service']
  readonly #image?: HTMLImageElement
  #isUpdating = false
  #updates = 0
  #pick: { readonly url: string; readonly picture: ReturnType<typeof fetchPicture> } | undefined

  constructor() {
    super()
    this.#image = document.createElement('img')
    this.#image.part.add('image')
    this.#image.loading = 'lazy'
    // This event does not leave the shadow tree by itself.
    this.#image.onerror = () => this.#fail(new Error(`The picture ${this.#image?.src} cannot be loaded.`))
    this.attachShadow({ mode: 'open' }).append(this.#image)
  }

  connectedCallback(): void {
    this.attributeChangedCallback()
  }

  /** Several attributes that change together cause one update. */
  attributeChangedCallback(): void {
    if (this.#isUpdating || !this.isConnected) return
    this.#isUpdating = true
    queueMicrotask(() => {
      this.#isUpdating = false
      this.#update().catch((error) => {
        // The next change of an attribute tries again.
        this.#pick = undefined
        this.#fail(error)
        console.error(error)
      })
    })
  }

  #fail(error: Error): void {
    this.dispatchEvent(new ErrorEvent('error', { error, message: error.message }))
  }

  async #update(): Promise<void> {
    const image = this.#image!
    const update = ++this.#updates
    const size = Number(this.getAttribute('size')) || DEFAULT_SIZE
    const service = findService(this.getAttribute('service'))
    const name = this.getAttribute('name')
    const wanted = name ? this.#draw(service, name, size) : await this.#pickRandom(service)
    // The attributes changed while the reply was on its way.
    if (update !== this.#updates) return
    image.width = size
    image.height = Math.round(size * wanted.ratio)
    image.alt = this.getAttribute('alt') ?? wanted.alt
    if (image.src !== wanted.src) image.src = wanted.src
  }

  #draw(service: URL, name: string, size: number) {
    const kind = this.getAttribute('kind') ?? 'cat'
    const src = new URL(`media/animals/${encodeURIComponent(kind)}/~${encodeName(name)}.svg`, service)
    src.searchParams.set('size', String(size))
    if (this.getAttribute('background') === 'none') src.searchParams.set('background', 'none')
    return { src: src.href, alt: `${name} the ${kind}`, ratio: 1 }
  }

  /** A change of another attribute keeps the animal. */
  #pickRandom(service: URL) {
    const kind = this.getAttribute('kind') ?? 'any'
    const url = new URL(`api/v2/random/animal/${encodeURIComponent(kind)}`, service).href
    if (this.#pick?.url !== url) this.#pick = { url, picture: fetchPicture(url) }
    return this.#pick.picture
  }
}

async function fetchPicture(url: string) {
  const reply = await fetch(url, { headers: { accept: 'application/json' } })
  const { message, item } = (await reply.json()) as { message: string; item: Picture }
  if (!reply.ok) throw new Error(message)
  // Pictures of the operator may have any proportions.
  return { src: message, alt: item.alt, ratio: item.height / item.width }
}

if (globalThis.customElements && !customElements.get('menagerie-animal'))
  customElements.define('menagerie-animal', MenagerieAnimal)
