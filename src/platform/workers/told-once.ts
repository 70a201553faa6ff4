const REMEMBER_MS = 10_000

/** Every worker reads the same folders and finds the same fault: a person is told once, not once a worker. */
export function tellOnce(tell: (text: string) => void): (text: string) => void {
  const toldAt = new Map<string, number>()
  return (text) => {
    const now = performance.now()
    for (const [known, at] of toldAt) if (now - at > REMEMBER_MS) toldAt.delete(known)
    if (!toldAt.has(text)) tell(text)
    toldAt.set(text, now)
  }
}
