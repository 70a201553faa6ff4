import { one } from '../../shared/client/dom.ts'
import type { LocalFile } from './local-file.ts'

/** The line below the image: the URL of the result, or what happens with a file of the device. */
export function createResultView() {
  const url = one<HTMLTextAreaElement>('[data-result-url]')
  const download = one<HTMLAnchorElement>('[data-download]')
  const note = one('[data-file-note]')
  url.addEventListener('focus', () => url.select())

  return {
    showUrl(text: string) {
      url.value = text
    },
    setFile(file: LocalFile | undefined) {
      url.hidden = one('[data-copy-url]').hidden = one('[data-request]').hidden = file !== undefined
      note.hidden = file === undefined
      if (!file) return
      const frames = file.isAnimated
        ? ' Only its first frame is filtered. Of an image URL, the service filters all frames.'
        : ''
      note.textContent = `${file.blob.name} is filtered in your browser. Nothing is uploaded.${frames}`
    },
    showDownload(blob: Blob | undefined) {
      if (download.href) URL.revokeObjectURL(download.href)
      download.hidden = blob === undefined
      if (!blob) return download.removeAttribute('href')
      download.href = URL.createObjectURL(blob)
      download.download = `filtered.${blob.type.replace(/^image\/|\W.*$/g, '') || 'png'}`
    },
  }
}
