import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCertificate, hasOpenssl } from '../../kit/certificate.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { explainMissingNamespace, runInNamespace } from './network-namespace.ts'

const skip = explainMissingNamespace() ?? (hasOpenssl() ? false : 'SKIPPED: needs openssl to make certificates')

test('only public addresses are dialled, even if every address is reachable', { skip }, async (t) => {
  const folder = await temporaryFolder(t)
  const trusted = createCertificate(folder, 'trusted.example')
  const untrusted = createCertificate(folder, 'untrusted.example')
  for (const file of ['addresses.ts', 'names.ts', 'tls.ts']) {
    await t.test(file, async (t) => {
      const { code, output } = await runInNamespace(t, join(import.meta.dirname, 'namespace', file), {
        NODE_EXTRA_CA_CERTS: trusted.file,
        TEST_CERTIFICATES: JSON.stringify([trusted, untrusted]),
      })
      assert.equal(code, 0, output)
      assert.doesNotMatch(output, /^ℹ pass 0$/m, output)
    })
  }
})
