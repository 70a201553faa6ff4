import type { Kind } from '../kind.ts'
import { cat } from './cat.ts'

export const kinds: readonly Kind[] = [cat]
