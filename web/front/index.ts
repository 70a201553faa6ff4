import { copyCode, joinLanguages } from '../shared/languages.ts'
import { animal } from './animal.ts'
import { eightball } from './eightball.ts'
import { kaomoji } from './kaomoji.ts'
import { uptime } from './uptime.ts'
import { video } from './video.ts'

joinLanguages()
copyCode()
animal()
kaomoji()
eightball()
video()
uptime()
