// Colour profiles (ICC). Most are a matrix with three curves, or a lookup table. Version 4.3 added programs of processing
// elements: 850 bytes of them can keep a decoder busy for minutes.

/** Profiles of cameras and screens have up to 4 KB, those of printers up to about 1 MB. */
export const MAX_PROFILE_BYTES = 2 ** 20
const HEADER_BYTES = 128
const ENTRY_BYTES = 12
/** A type and four reserved bytes. */
const MIN_TAG_BYTES = 8
/** Usual profiles have 9 to 20. */
const MAX_TAGS = 100
/** Colours of most devices are mixed from one, three or four components. */
const MAX_CHANNELS = 4

const classes = ['mntr', 'scnr', 'prtr', 'spac']
const curveTypes = ['curv', 'para']
const tableTypes = ['mft1', 'mft2', 'mAB ', 'mBA ']

const readText = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4)

function isSafeTag(profile: Buffer, entry: number): boolean {
  const tag = readText(profile, entry)
  const [offset, size] = [profile.readUInt32BE(entry + 4), profile.readUInt32BE(entry + 8)]
  if (offset + size > profile.length || size < MIN_TAG_BYTES) return false
  // D2B and B2D are programs. No other tag may be one either.
  const type = readText(profile, offset)
  if (/^(D2B|B2D)\d$/.test(tag) || type === 'mpet') return false
  if (/^[rgbk]TRC$/.test(tag)) return curveTypes.includes(type)
  if (!/^[AB]2[AB]\d$/.test(tag)) return true
  const [inputs = 0, outputs = 0] = profile.subarray(offset + 8, offset + size)
  return tableTypes.includes(type) && Math.max(inputs, outputs) <= MAX_CHANNELS
}

/** Whether a colour profile is complete and converts colours with a matrix, curves and lookup tables only. */
export function isSafeProfile(profile: Buffer): boolean {
  if (profile.length < HEADER_BYTES + 4 || profile.length > MAX_PROFILE_BYTES) return false
  if (readText(profile, 36) !== 'acsp' || !classes.includes(readText(profile, 12))) return false
  const tags = profile.readUInt32BE(HEADER_BYTES)
  if (tags > MAX_TAGS || HEADER_BYTES + 4 + tags * ENTRY_BYTES > profile.length) return false
  for (let tag = 0; tag < tags; tag++) if (!isSafeTag(profile, HEADER_BYTES + 4 + tag * ENTRY_BYTES)) return false
  return true
}
