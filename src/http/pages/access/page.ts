import { POLICY_PATH } from '../../api/app/access.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import { accessForm } from './form.ts'
import { policy } from './policy.ts'

export interface AccessPage {
  readonly appName: string
  readonly access: 'open' | 'registered'
}

/** Where a caller of v5 reads the policy and asks the operator for a key. */
export const accessPage = ({ appName, access }: AccessPage, layout: Layout): Route =>
  get(
    POLICY_PATH,
    { tag: 'Pages', summary: 'The policy of v5, and where to ask for a key', otherTypes: ['text/html'] },
    ({ baseUrl: base }) =>
      layout({
        path: 'v5-access',
        title: 'Menagerie: access to v5',
        description: 'Who may use the v5 endpoints, and how to ask the operator for a key.',
        script: 'access.js',
        body: html`<div class="access">${policy(appName, access)}${accessForm(`api/v5/${appName}/clients`, base)}</div>`,
        base,
        cache: cache.revalidate,
      }),
  )
