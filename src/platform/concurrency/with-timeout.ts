/**
 * Resolves to the result of the work, or to that of `onTimeout` if the work takes longer than `ms`. Leaves no timer behind.
 * If this process itself was busy for that long, a result may have arrived without being read: it gets one more turn.
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, onTimeout: () => T): Promise<T> {
  const { promise: late, resolve, reject } = Promise.withResolvers<T>()
  let turn: NodeJS.Immediate | undefined
  const giveUp = () => {
    try {
      resolve(onTimeout())
    } catch (error) {
      reject(error)
    }
  }
  const timer = setTimeout(() => {
    turn = setImmediate(giveUp)
  }, ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}
