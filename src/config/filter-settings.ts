// The settings of the image filters.
import type { Setting } from './setting-types.ts'
import * as types from './setting-types.ts'

export const filterSettings = {
  FILTER_ALLOW_HOSTS: types.hostPorts({
    default: '',
    help: 'Hosts with ports that images may be fetched from, even if the address is private or the port is not in FILTER_PORTS.',
  }),
  FILTER_PORTS: types.ports({ default: '80,443,1024-65535', help: 'Ports that images may be fetched from.' }),
  FILTER_MAX_BYTES: types.integer(65_536, 268_435_456, {
    default: '16777216',
    help: 'Maximum size of a source image in bytes, after HTTP decompression.',
  }),
  FILTER_MAX_PIXELS: types.integer(10_000, 400_000_000, {
    default: '40000000',
    help: 'Maximum number of pixels of a source image, summed over all frames.',
  }),
  FILTER_TIMEOUT_MS: types.integer(100, 90_000, {
    default: '10000',
    help:
      'Timeout for fetching a source image, including redirects, in milliseconds. The limit for processing it is five ' +
      'times this value. A filter request that takes 100 seconds in total gets the error BUSY.',
  }),
  FILTER_QUEUE: types.integer(0, 10_000, {
    default: '64',
    help: 'Maximum number of filter requests that wait, per node. More requests get the error BUSY.',
  }),
  FILTER_CACHE_BYTES: types.integer(1, 17_179_869_184, {
    default: '25165824',
    help:
      'Maximum size in bytes of the memory cache for filtered images, per node. The cache for source images has half ' +
      'this size. Both are smaller if MEMORY_LIMIT requires it.',
  }),
  FILTER_SHARED_BYTES: types.integer(0, 1_099_511_627_776, {
    default: '268435456',
    help:
      'Maximum size in bytes of the second-level cache for filtered images: in Redis, shared by all nodes, or in DATA_DIR if ' +
      'STORE_URL is SQLite. 0 disables it.',
  }),
  FILTER_SHARED_SECONDS: types.integer(1, 2_592_000, {
    default: '86400',
    help: 'Lifetime of a filtered image in the second-level cache, in seconds.',
  }),
} satisfies Record<string, Setting<unknown>>
