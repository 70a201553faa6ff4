// What electron-updater's MacUpdater needs of Electron to check for and download updates.
import { EventEmitter } from 'node:events'

export const autoUpdater = Object.assign(new EventEmitter(), { setFeedURL() {} })
