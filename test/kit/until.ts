/** Waits for a condition; a test that needs it fails with its name when the time is up. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 5000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
