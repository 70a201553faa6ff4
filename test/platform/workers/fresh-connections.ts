// Clients that open a new connection for each request, in a separate process, until standard input ends. Prints how many
// requests were answered and why others failed.
import { once } from 'node:events'
import { get } from 'node:http'

const [url = '', clients = '8'] = process.argv.slice(2)
const REPLY_TIMEOUT_MS = 30_000
const outcome = { done: 0, failed: [] as string[] }
let isRunning = true

const sendRequest = () =>
  new Promise<void>((resolve) => {
    const fail = (error: Error) => {
      outcome.failed.push(error.message)
      resolve()
    }
    const request = get(url, { agent: false, timeout: REPLY_TIMEOUT_MS }, (response) => {
      response.resume().on('end', () => {
        outcome.done++
        resolve()
      })
    })
    request.on('timeout', () => request.destroy(new Error('no reply')))
    request.on('error', fail)
  })

const all = Array.from({ length: Number(clients) }, async () => {
  while (isRunning) await sendRequest()
})
process.stdin.resume()
await once(process.stdin, 'end')
isRunning = false
await Promise.all(all)
console.log(JSON.stringify(outcome))
