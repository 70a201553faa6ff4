/** Questions that wait for their answers, each for a bounded time. */
export interface Questions<Answer> {
  /** `ask` sends the question under its number; where no answer comes in time, `otherwise` is the answer. */
  put(waitMs: number, otherwise: Answer, ask: (id: number) => void): Promise<Answer>
  answered(id: number, answer: Answer): void
}

export function createQuestions<Answer>(): Questions<Answer> {
  const open = new Map<number, (answer: Answer) => void>()
  let last = 0
  return {
    put(waitMs, otherwise, ask) {
      const id = ++last
      return new Promise((resolve) => {
        const answer = (given: Answer) => {
          clearTimeout(timer)
          open.delete(id)
          resolve(given)
        }
        const timer = setTimeout(answer, waitMs, otherwise)
        open.set(id, answer)
        ask(id)
      })
    },
    answered: (id, answer) => open.get(id)?.(answer),
  }
}
