import { element, one } from '../../shared/client/dom.ts'
import { confirmDiscard } from './publish/form.ts'
import { history } from './publish/history.ts'
import { news } from './publish/news.ts'
import { pictures } from './publish/pictures.ts'
import { releases, resources } from './publish/releases.ts'
import { createSection, type Section } from './publish/section.ts'
import { blocklist, lists, tiers } from './publish/texts.ts'

const OVERVIEW = 'overview'
const definitions: readonly Section[] = [releases, resources, news, tiers, pictures, lists, blocklist, history]

/** The overview and the sections that publish. The part of the URL after # names the shown one. */
export function createSections(signedOut: (why: string) => void) {
  const root = one('[data-publishing]')
  const nav = one('[data-views]')
  const refusal = one('[data-no-publish]')
  const screen = one('[data-screen]')
  const sections = definitions.map((section) => createSection(section, signedOut))
  const names = [OVERVIEW, ...sections.map(({ name }) => name)]
  const links = names.map((name, n) => element('a', { href: `#${name}` }, sections[n - 1]?.title ?? 'Overview'))
  one('ul', nav).append(...links.map((link) => element('li', {}, link)))
  let mayPublish: boolean | undefined
  let shown = OVERVIEW

  const isDirty = () => sections.some((section) => section.isDirty())

  function show(): void {
    // Other links within the page, such as the one to the content, choose no section.
    const wanted = location.hash.slice(1)
    if (names.includes(wanted)) shown = wanted
    if (mayPublish === undefined) return
    for (const link of links) link.ariaCurrent = link.hash === `#${shown}` ? 'page' : null
    screen.hidden = shown !== OVERVIEW
    root.hidden = shown === OVERVIEW
    refusal.hidden = mayPublish
    nav.hidden = false
    for (const section of sections) {
      if (section.name === shown) section.show(mayPublish)
      else section.hide()
    }
  }

  window.addEventListener('hashchange', () => {
    const before = shown
    show()
    if (shown !== before) (sections.find(({ name }) => name === shown)?.heading ?? one('#operator-title')).focus()
  })
  // Shows what others changed meanwhile.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) show()
  })
  window.addEventListener('beforeunload', (event) => {
    if (isDirty()) event.preventDefault()
  })

  return {
    isDirty,
    open(scopes: readonly string[]): void {
      mayPublish = scopes.includes('publish')
      show()
    },
    /** Closes the forms. Resolves to false if the operator does not want to lose what was typed. */
    async close(): Promise<boolean> {
      if (isDirty() && !(await confirmDiscard())) return false
      for (const section of sections) section.close()
      return true
    },
    /** Hides the forms. The page keeps what was typed. */
    hide(): void {
      mayPublish = undefined
      root.hidden = nav.hidden = screen.hidden = true
    },
  }
}
