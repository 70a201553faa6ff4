// Callers who open a connection for each request, in a process of their own, until standard input ends. Prints what came of it.
import { once } from 'node:events'
import { get } from 'node:http'

const [url = '', callers = '8'] = process.argv.slice(2)
const HANGS_MS = 30_000
const outcome = { done: 0, failed: [] as string[] }
let going = true

const ask = () =>
  new Promise<void>((resolve) => {
    const fail = (error: Error) => {
      outcome.failed.push(error.message)
      resolve()
    }
    const request = get(url, { agent: false, timeout: HANGS_MS }, (response) => {
      response.resume().on('end', () => {
        outcome.done++
        resolve()
      })
    })
    request.on('timeout', () => request.destroy(new Error('no reply')))
    request.on('error', fail)
  })

const all = Array.from({ length: Number(callers) }, async () => {
  while (going) await ask()
})
process.stdin.resume()
await once(process.stdin, 'end')
going = false
await Promise.all(all)
console.log(JSON.stringify(outcome))
