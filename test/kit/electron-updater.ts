// The real electron-updater outside of Electron: a forced platform and architecture, and requests through node:http.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import { temporaryFolder } from './folder.ts'
import type { Scope } from './scope.ts'

export type ElectronPlatform = 'win32' | 'darwin' | 'linux'

interface UpdaterOptions {
  /** The URL of the generic provider. */
  readonly url: string
  readonly platform: ElectronPlatform
  readonly arch?: 'x64' | 'arm64' | 'arm'
  readonly current: string
  readonly channel?: string
  /** The installed file, for a differential download. */
  readonly installed?: string
}

const require = createRequire(import.meta.url)
const OWN_ARCH = process.arch
const ELECTRON = join(import.meta.dirname, 'electron.ts')
registerHooks({
  resolve: (name, context, next) => next(name === 'electron' ? ELECTRON : name, context),
})

/** Checks for an update and downloads it. Counts the bytes of all replies. */
export async function runElectronUpdater(t: Scope, options: UpdaterOptions) {
  const { url, platform, arch = 'x64', current, channel, installed } = options
  const folder = await temporaryFolder(t)
  Object.defineProperty(process, 'arch', { value: arch })
  t.after(() => void Object.defineProperty(process, 'arch', { value: OWN_ARCH }))
  if (platform === 'linux') process.env.APPIMAGE = installed ?? join(folder, 'old.AppImage')
  await writeFile(join(folder, 'app-update.yml'), 'updaterCacheDirName: cache\n')
  const log: string[] = []
  const record = (text: string) => void log.push(text)
  const executor = createExecutor()
  const app = {
    version: current,
    name: 'launcher',
    isPackaged: true,
    appUpdateConfigPath: join(folder, 'app-update.yml'),
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: async () => {},
    quit() {},
    relaunch() {},
    onQuit() {},
  }
  const { NsisUpdater, MacUpdater, AppImageUpdater } = require('electron-updater')
  const Updater = { win32: NsisUpdater, darwin: MacUpdater, linux: AppImageUpdater }[platform]
  const updater: AppUpdater = new Updater(null, app)
  Object.assign(updater, {
    httpExecutor: executor,
    _testOnlyOptions: { platform, isUseDifferentialDownload: installed !== undefined },
  })
  updater.logger = { info: record, warn: record, error: record, debug: record }
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.disableWebInstaller = true
  updater.setFeedURL({ provider: 'generic', url, ...(channel && { channel }) })
  if (channel) updater.channel = channel
  if (installed && platform !== 'linux') {
    await mkdir(join(folder, 'cache'), { recursive: true })
    await copyFile(installed, join(folder, 'cache', platform === 'win32' ? 'installer.exe' : 'update.zip'))
  }
  const check = await updater.checkForUpdates()
  if (!check?.isUpdateAvailable) return { version: undefined, log }
  const [file = ''] = await updater.downloadUpdate()
  // MacUpdater offers the file to the native updater on a port of its own.
  if ('server' in updater) (updater.server as Server | undefined)?.close()
  return { version: check.updateInfo.version, file, bytes: await readFile(file), received: executor.received, log }
}

function createExecutor() {
  const { ElectronHttpExecutor } = require('electron-updater/out/electronHttpExecutor')
  return new (class extends ElectronHttpExecutor {
    received = 0
    createRequest(options: RequestOptions, callback: (reply: IncomingMessage) => void): ClientRequest {
      // electron-updater adds a listener to the socket for each request.
      return request({ ...options, agent: false }, (reply) => {
        reply.on('data', (chunk: Buffer) => {
          this.received += chunk.length
        })
        callback(reply)
      })
    }
  })() as { readonly received: number }
}
