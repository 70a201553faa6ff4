import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as releases from '../../../src/features/releases/index.ts'
import { formatBytes } from '../../../src/http/pages/shared/client/bytes.ts'

test('pages write sizes as the API does', () => {
  assert.equal(formatBytes(5_200_000_000), '5.2 GB')
  for (const bytes of [0, 999, 1000, 999_949, 999_950, 84_200_000, 999_950_000, 5e12, 1e16]) {
    assert.equal(formatBytes(bytes), releases.formatBytes(bytes))
  }
})
