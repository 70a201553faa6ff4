const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** As `formatBytes` in features/releases, which is too large for a page. A test compares them. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}
