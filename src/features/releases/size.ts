const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** A size for people, in units of a thousand: 84_200_000 is "84.2 MB". */
export function sizeForPeople(bytes: number): string {
  let value = bytes
  let unit = 0
  // 999.95 would round up to "1000.0".
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
