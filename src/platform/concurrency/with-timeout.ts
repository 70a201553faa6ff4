/**
 * What the work comes to, or what `otherwise` says where that takes longer. Leaves no timer behind. Where this process
 * itself was busy for so long, the answer may have arrived and not been read yet: it is given one more turn.
 */
export async function within<T>(ms: number, work: Promise<T>, otherwise: () => T): Promise<T> {
  const { promise: late, resolve, reject } = Promise.withResolvers<T>()
  let turn: NodeJS.Immediate | undefined
  const giveUp = () => {
    try {
      resolve(otherwise())
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
