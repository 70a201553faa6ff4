// ipx as its documentation sets it up: pictures from a host over HTTP, plain node:http in front.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createIPX, createIPXNodeServer, ipxFSStorage, ipxHttpStorage } from 'ipx'

const host = process.argv[2] ?? '127.0.0.1'
const ipx = createIPX({
  storage: ipxFSStorage({ dir: '.' }),
  httpStorage: ipxHttpStorage({ domains: [host], allowAllDomains: true }),
})
const server = createServer(createIPXNodeServer(ipx))
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
