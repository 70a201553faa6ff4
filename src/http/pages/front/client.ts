import { copyCode, joinLanguages } from '../shared/client/languages.ts'
import { animal } from './client/animal.ts'
import { eightball } from './client/eightball.ts'
import { kaomoji } from './client/kaomoji.ts'
import { uptime } from './client/uptime.ts'
import { video } from './client/video.ts'

joinLanguages()
copyCode()
animal()
kaomoji()
eightball()
video()
uptime()
