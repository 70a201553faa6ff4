/** The first line of Node that has everything the service uses; scripts/menagerie.mjs fetches one where it is older. */
export const OLDEST_NODE = 24

export const isTooOld = (version: string) => Number(version.split('.')[0]) < OLDEST_NODE
