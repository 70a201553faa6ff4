import { setFlagsFromString } from 'node:v8'

/**
 * V8 paces its collector by its own heap, which is 25 MB here, and counts pictures, which lie outside of it, as growth: it
 * marked the whole heap for each 15 MB of them, also where all were kept. With three times the heap as the limit, its other
 * rule decides, a run for each 64 MB outside.
 */
const HEAP_GROWING_PERCENT = 200

export const collectSeldom = () => setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
