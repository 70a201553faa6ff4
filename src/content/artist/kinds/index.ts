import type { Kind } from '../kind.ts'
import { alpaca } from './alpaca.ts'
import { bird } from './bird/index.ts'
import { cat } from './cat.ts'
import { dog } from './dog.ts'
import { fish } from './fish/index.ts'
import { fox } from './fox.ts'

/** A new kind of animal is its file and its line here. */
export const kinds: readonly Kind[] = [cat, dog, fox, fish, alpaca, bird]
