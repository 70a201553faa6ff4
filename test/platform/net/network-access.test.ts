import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCertificate, hasOpenssl } from '../../kit/certificate.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { explainMissingNamespace, runInNamespace } from './network-namespace.ts'

const skip = explainMissingNamespace() ?? (hasOpenssl() ? false : 'SKIPPED: needs openssl to make certificates')

test('the fetcher connects only to public addresses, in a network where every address answers', { skip }, async (t) => {
  const folder = await temporaryFolder(t)
  const trusted = createCertificate(folder, 'trusted.example')
  const untrusted = createCertificate(folder, 'untrusted.example')
  const files = {
    'addresses.ts': 'addresses in URLs and redirects',
    'names.ts': 'host names and their DNS answers',
    'tls.ts': 'certificates',
  }
  for (const [file, subject] of Object.entries(files)) {
    await t.test(subject, async (t) => {
      const { code, output } = await runInNamespace(t, join(import.meta.dirname, 'namespace', file), {
        NODE_EXTRA_CA_CERTS: trusted.file,
        TEST_CERTIFICATES: JSON.stringify([trusted, untrusted]),
      })
      assert.equal(code, 0, output)
      assert.doesNotMatch(output, /^ℹ pass 0$/m, output)
    })
  }
})
