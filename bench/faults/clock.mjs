// Loaded into the service by the table of faults: moves Date by the milliseconds in the file CLOCK_FILE.
import { readFileSync } from 'node:fs'

const RealDate = Date
const read = () => {
  try {
    return Number(readFileSync(process.env.CLOCK_FILE, 'utf8'))
  } catch {
    return 0
  }
}
let offset = read()
setInterval(() => {
  offset = read()
}, 50).unref()
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset)
    else super(...args)
  }
  static now() {
    return RealDate.now() + offset
  }
}
