// /llms.txt (https://llmstxt.org): what a language model needs to use the service.
import type { ApiDescription } from '../../api/api-description.ts'
import { cache, text } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { EXAMPLE_BASE } from '../../kernel/schemas.ts'
import type { Guide, GuideReader } from '../guides/guide.ts'

const TYPE = 'text/plain; charset=utf-8'
/** The groups that a program calls on behalf of a person. Older versions and the operator's endpoints are in OpenAPI. */
const GROUPS = ['Random content, v2', 'Image filters, v2', 'Pictures']

export const llmsRoute = (apiDescription: ApiDescription, readGuides: GuideReader, hasMcp: boolean): Route =>
  get('/llms.txt', {
    tag: 'Pages',
    summary: 'Description for language models',
    description: 'As llmstxt.org proposes: the endpoints of v2 and the guides, as text.',
    otherTypes: ['text/plain'],
    textExamples: { 'text/plain': formatText(EXAMPLE_BASE, hasMcp, [], []) },
    handle: async ({ baseUrl }) => {
      const endpoints = apiDescription.endpoints().filter(({ tag }) => GROUPS.includes(tag))
      return text(formatText(baseUrl, hasMcp, endpoints, await readGuides()), TYPE, { cache: cache.short })
    },
  })

function formatText(
  base: string,
  hasMcp: boolean,
  endpoints: readonly { readonly path: string; readonly summary: string }[],
  guides: readonly Pick<Guide, 'name' | 'title' | 'description'>[],
): string {
  return `# Menagerie

> A public HTTP service: random animals and texts, image filters on images given by URL, and avatars that are drawn from
> names. No request below needs a key.

Replies of random endpoints are JSON: \`message\` is the result. Replies of filters are images. Errors are JSON with a stable
\`code\`, a \`message\` that says how to fix the request and, for a value outside a list, the \`allowed\` values.

## API

- [OpenAPI document](${base}/openapi.json): every endpoint with its parameters, replies, errors and examples
${hasMcp ? `- [Model Context Protocol](${base}/mcp): the same as tools, by POST\n` : ''}${endpoints.map(({ path, summary }) => `- \`GET ${base}${path}\`: ${summary}\n`).join('')}
## Guides

${guides.map(({ name, title, description }) => `- [${title}](${base}/docs/guides/${name}): ${description}\n`).join('')}
## Optional

- [Reference](${base}/docs): the OpenAPI document for people
- [Playground](${base}/playground): filters to try in a browser
`
}
