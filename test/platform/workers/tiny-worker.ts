// A worker with a bare server instead of the service: what is tested is how it is supervised.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { drain } from '../../../src/http/kernel/listen.ts'
import { isWorker, joinPrimary } from '../../../src/platform/workers/index.ts'

const [refusesWhenThere = ''] = process.argv.slice(2)
if (!isWorker() || existsSync(refusesWhenThere)) process.exit(3)

const member = await joinPrimary()
member.answer('pid', () => process.pid)
member.answer('nothing', () => undefined)
member.answer('never', () => (member.isLead ? 'the lead' : new Promise(() => {})))
let asked = 0
let isHushed = false
member.counts(() => (isHushed ? new Promise(() => {}) : asked))
const server = createServer(async ({ url = '' }, response) => {
  if (url === '/count') asked++
  if (url === '/hush') isHushed = true
  if (url.startsWith('/busy/')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(url.slice(6)))
  if (url === '/exit') process.exit(5)
  if (url === '/crash') {
    member.log.write('the last words\n')
    member.log.flush()
    process.exit(1)
  }
  if (url === '/log') member.log.write(`a line of ${member.number}\n`)
  if (url === '/tell') member.tell('the same for all')
  const { number, workers, isLead, startedAt } = member
  const answers = url.startsWith('/ask/') ? await member.askAll(url.slice(5)) : undefined
  const total = url === '/total' ? await member.total() : undefined
  const problem = member.log.problem()
  response.end(JSON.stringify({ pid: process.pid, number, workers, isLead, startedAt, asked: answers, total, problem }))
})
server.listen(member.port, member.host, () => member.ready(`http://${member.host}:${member.port}`))
const { lingerMs } = await member.dismissed
await drain(server, lingerMs)
await member.log.close()
await member.leave()
