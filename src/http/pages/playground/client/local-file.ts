import { one } from '../../shared/client/dom.ts'

/** A browser needs about 15 bytes of memory per pixel. */
const MAX_PIXELS = 25_000_000
const MAX_BYTES = 64_000_000
/** The bytes before each frame of a GIF, as Latin-1 text. */
const GIF_FRAME = '!ù\x04'
/** In the header of a PNG and a WebP. */
const ANIMATION = /acTL|ANIM/
const HEADER_BYTES = 4096

/** The file cannot be used; the message says why. */
export class FileRefused extends Error {}

export interface LocalFile {
  readonly blob: File
  readonly isAnimated: boolean
}

export async function openFile(blob: File): Promise<LocalFile> {
  if (blob.size > MAX_BYTES) throw new FileRefused(`The file is larger than ${MAX_BYTES / 1e6} MB.`)
  await checkImage(blob)
  return { blob, isAnimated: isAnimation(new TextDecoder('latin1').decode(await blob.arrayBuffer())) }
}

const isAnimation = (text: string) =>
  text.startsWith('GIF8') ? text.split(GIF_FRAME).length > 2 : ANIMATION.test(text.slice(0, HEADER_BYTES))

/** Reads the header before it decodes: a small file can have more pixels than the memory of the device holds. */
async function checkImage(blob: Blob): Promise<void> {
  const image = new Image()
  const src = URL.createObjectURL(blob)
  try {
    await new Promise((resolve, reject) => {
      image.addEventListener('load', resolve)
      image.addEventListener('error', reject)
      image.src = src
    })
    const { naturalWidth: width, naturalHeight: height } = image
    if (width * height > MAX_PIXELS) {
      const limit = `Here, up to ${MAX_PIXELS / 1e6} million pixels are possible.`
      throw new FileRefused(`The image has ${width} × ${height} pixels. ${limit}`)
    }
    await image.decode()
  } catch (error) {
    if (error instanceof FileRefused) throw error
    throw new FileRefused('This browser cannot read it. It is not an image, it is damaged, or it is far too large.')
  } finally {
    URL.revokeObjectURL(src)
  }
}

/** Takes files by the file picker, by dropping and by pasting. */
export function connectFileInput(onFile: (file: File) => void): void {
  const input = one<HTMLInputElement>('[data-file]')
  const root = one('.playground')
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file) onFile(file)
    // Choosing the same file again must be a change.
    input.value = ''
  })
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    root.classList.add('dropping')
  })
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) root.classList.remove('dropping')
  })
  addEventListener('drop', (event) => {
    root.classList.remove('dropping')
    if (!hasFiles(event)) return
    // Otherwise the browser would open the file instead of the page.
    event.preventDefault()
    const [file] = event.dataTransfer?.files ?? []
    if (file) onFile(file)
  })
  addEventListener('paste', ({ clipboardData }) => {
    const [file] = clipboardData?.files ?? []
    if (file) onFile(file)
  })
}
