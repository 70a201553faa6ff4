// main.ts imports this file before it checks the version of Node, so it may only use what old versions understand.

/** The oldest supported version. scripts/menagerie.mjs downloads one if the installed Node is older. */
export const OLDEST_NODE = 24

export const isTooOld = (version: string) => Number(version.split('.')[0]) < OLDEST_NODE
