import type { Kind } from '../kind.ts'
import { cat } from './cat.ts'
import { dog } from './dog.ts'
import { fox } from './fox.ts'

/** A new kind of animal is its file and its line here. */
export const kinds: readonly Kind[] = [cat, dog, fox]
