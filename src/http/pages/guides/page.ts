import Type from 'typebox'
import { UnknownFile } from '../../../errors/index.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { Layout } from '../shared/layout.ts'
import { guideShelf } from './guide.ts'
import { guideIndex, guidePage } from './guide-page.ts'
import type { GuideFacts } from './tables.ts'

const PATH = '/docs/guides'
const tag = 'Pages'
const otherTypes = ['text/html']

/** Guides in plain pages: the texts are of the build, their tables of this very service. */
export function guides(facts: GuideFacts & { readonly siteDir: string }, layout: Layout): Route[] {
  const shelf = guideShelf(facts.siteDir)
  const page = { script: 'guides.js', cache: cache.revalidate } as const
  return [
    get(PATH, { tag, summary: 'The guides', otherTypes }, async ({ baseUrl: base }) =>
      layout({
        ...page,
        path: 'docs/guides',
        title: 'Menagerie: guides',
        description: 'Getting started, filters, versions, errors, limits and the v5 policy, in plain words.',
        body: guideIndex(await shelf()),
        base,
      }),
    ),
    get(
      `${PATH}/:name`,
      {
        tag,
        summary: 'A guide',
        params: { name: Type.String({ description: 'As the list of guides has it.', examples: ['getting-started'] }) },
        otherTypes,
        errors: [UnknownFile],
      },
      async ({ params, baseUrl: base }) => {
        const all = await shelf()
        const shown = all.find(({ name }) => name === params.name)
        if (!shown) throw new UnknownFile(PATH)
        return layout({
          ...page,
          path: `docs/guides/${shown.name}`,
          title: `Menagerie: ${shown.title}`,
          description: shown.description,
          body: guidePage(all, shown, facts, base),
          base,
        })
      },
    ),
  ]
}
