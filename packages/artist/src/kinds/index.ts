import type { Kind } from '../kind.ts'
import { alpaca } from './alpaca/index.ts'
import { bird } from './bird/index.ts'
import { cat } from './cat/index.ts'
import { dog } from './dog/index.ts'
import { fish } from './fish/index.ts'
import { fox } from './fox/index.ts'

/** To add a kind, add its folder and one entry here. */
export const kinds: readonly Kind[] = [cat, dog, fox, fish, alpaca, bird]
