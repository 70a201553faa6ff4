/** What the work comes to, or what `otherwise` says where that takes longer. Leaves no timer behind. */
export async function within<T>(ms: number, work: Promise<T>, otherwise: () => T): Promise<T> {
  const { promise: late, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    try {
      resolve(otherwise())
    } catch (error) {
      reject(error)
    }
  }, ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
