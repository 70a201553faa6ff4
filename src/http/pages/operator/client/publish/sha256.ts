// SHA-256 of a file of any size. The Web Crypto API needs the whole file in memory, and HTTPS.
const BLOCK = 64

/** The first 32 bits of the fractional parts of the roots of the first primes. */
const [initial, constants] = (() => {
  const fraction = (value: number) => ((value % 1) * 2 ** 32) | 0
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return [primes.slice(0, 8).map((prime) => fraction(prime ** (1 / 2))), primes.map((p) => fraction(p ** (1 / 3)))]
})()

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

export function createSha256() {
  const state = Int32Array.from(initial)
  const words = new Int32Array(64)
  const table = Int32Array.from(constants)
  const rest = new Uint8Array(BLOCK)
  let length = 0

  function addBlock(bytes: Uint8Array, at: number): void {
    for (let i = 0; i < 16; i++) {
      const n = at + i * 4
      words[i] = (bytes[n]! << 24) | (bytes[n + 1]! << 16) | (bytes[n + 2]! << 8) | bytes[n + 3]!
    }
    for (let i = 16; i < 64; i++) {
      const [x, y] = [words[i - 15]!, words[i - 2]!]
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
      words[i] = words[i - 16]! + s0 + words[i - 7]! + s1
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + table[i]! + words[i]!) | 0
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i]! += value
  }

  const update = (bytes: Uint8Array) => {
    let at = 0
    const used = length % BLOCK
    length += bytes.length
    if (used > 0) {
      at = Math.min(BLOCK - used, bytes.length)
      rest.set(bytes.subarray(0, at), used)
      if (used + at < BLOCK) return
      addBlock(rest, 0)
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) addBlock(bytes, at)
    rest.set(bytes.subarray(at))
  }

  return {
    update,
    /** In hexadecimal digits. Call it once. */
    digest(): string {
      const bits = length * 8
      const padding = new Uint8Array(((119 - (length % BLOCK)) % BLOCK) + 9)
      padding[0] = 0x80
      const view = new DataView(padding.buffer)
      view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32))
      view.setUint32(padding.length - 4, bits)
      update(padding)
      return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    },
  }
}
