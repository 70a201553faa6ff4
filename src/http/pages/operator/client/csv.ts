import { element, one } from '../../shared/client/dom.ts'
import { fetchOrExplain, readJson } from '../../shared/client/request.ts'
import { headers, urlOf } from './session.ts'

/** Makes the CSV button of a part of the dashboard save its figures. Uses fetch, so that the token is not in a URL. */
export function offerCsv(root: HTMLElement, path: string, fileName: string, readQuery = () => ''): void {
  const problem = one('[data-problem]', root)
  one('[data-csv]', root).addEventListener('click', async () => {
    try {
      const response = await fetchOrExplain(urlOf(`${path}?format=csv&${readQuery()}`), { headers: headers() })
      if (!response.ok) throw new Error((await readJson<object>(response)).message)
      const href = URL.createObjectURL(await response.blob())
      element('a', { href, download: fileName }).click()
      setTimeout(() => URL.revokeObjectURL(href), 10_000)
      problem.textContent = ''
    } catch (error) {
      problem.textContent = (error as Error).message
    }
  })
}
