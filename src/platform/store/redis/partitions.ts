import { crc32 } from 'node:zlib'

/**
 * What grows with the callers and the pictures is spread over these: the keys of one partition share a slot of a cluster, so
 * that one script may touch them. The numbers are chosen so that each name falls into another sixteenth of the slots.
 */
const NUMBERS = [62, 2, 13, 22, 63, 3, 12, 23, 60, 0, 11, 20, 61, 1, 10, 21]

export const partitions: readonly string[] = NUMBERS.map((number) => `{menagerie:${number}}:`)

/** The number of the partition that a name belongs to; the same on every node. */
export const partitionOf = (name: string) => crc32(name) % partitions.length
