import assert from 'node:assert/strict'
import { MenagerieError } from '../../../packages/client/src/index.ts'

/** The error that a call of the client ended with. */
export async function failed(asked: Promise<unknown>): Promise<MenagerieError> {
  try {
    await asked
  } catch (error) {
    assert.ok(error instanceof MenagerieError, String(error))
    return error
  }
  return assert.fail('it should have failed')
}
