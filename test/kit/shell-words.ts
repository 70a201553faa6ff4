/** The words of a simple shell line: no variables, no escapes, quotes only around whole words. */
export const splitShellWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '')
