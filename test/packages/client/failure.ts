import assert from 'node:assert/strict'
import { MenagerieError } from '../../../packages/client/src/index.ts'

/** The error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<MenagerieError> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof MenagerieError, String(error))
    return error
  }
  return assert.fail('it should have failed')
}
