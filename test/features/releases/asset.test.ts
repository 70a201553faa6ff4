import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Arch, guessTraits, type Platform, selectAssets } from '../../../src/features/releases/asset.ts'

test('platform, arch and kind are guessed from the names that bundlers write', () => {
  const names: Record<string, string> = {
    'My App Setup 2.1.0.exe': 'windows any nsis',
    'MyApp-2.1.0-x64-setup.exe': 'windows x64 nsis',
    'setup-arm64.exe': 'windows arm64 nsis',
    'MyApp-2.1.0-ia32.exe': 'windows ia32 nsis',
    'MyApp 2.1.0 Portable.exe': 'windows any portable',
    'MyApp_2.1.0_x64_en-US.msi': 'windows x64 msi',
    'MyApp-win32-x64.zip': 'windows x64 zip',
    'MyApp_2.1.0_x64-setup.nsis.zip': 'windows x64 zip',
    'MyApp-2.1.0-full.nupkg': 'windows any nupkg',
    'MyApp-2.1.0-delta.nupkg': 'windows any delta',
    'MyApp-2.1.0-osx-full.nupkg': 'macos any nupkg',
    'MyApp-2.1.0.dmg': 'macos any dmg',
    'MyApp-2.1.0-universal.dmg': 'macos any dmg',
    'MyApp-2.1.0-arm64-mac.zip': 'macos arm64 zip',
    'MyApp-2.1.0-mac.zip.blockmap': 'macos any blockmap',
    'MyApp-darwin-x64.zip': 'macos x64 zip',
    'MyApp_aarch64.app.tar.gz': 'macos arm64 tar',
    'MyApp-2.1.0.AppImage': 'linux x64 appimage',
    'MyApp-2.1.0-arm64.AppImage': 'linux arm64 appimage',
    'MyApp-2.1.0-x86_64.AppImage': 'linux x64 appimage',
    'myapp_2.1.0_amd64.deb': 'linux x64 deb',
    'myapp_2.1.0_all.deb': 'linux any deb',
    'myapp-2.1.0.aarch64.rpm': 'linux arm64 rpm',
    'myapp-2.1.0.armv7l.rpm': 'linux arm rpm',
    'myapp-linux-x64.tar.gz': 'linux x64 tar',
    'resources.zip': 'any any zip',
    'readme.txt': 'any any file',
    darwin: 'macos any file',
    '': 'any any file',
  }
  for (const [name, expected] of Object.entries(names)) {
    const { platform, arch, kind } = guessTraits(name)
    assert.equal(`${platform} ${arch} ${kind}`, expected, name)
  }
})

test('a machine gets the file for its own arch first, and an installer before an archive', () => {
  const files = [
    'a-win.zip',
    'a-x64.exe',
    'a-arm64.exe',
    'a-ia32.exe',
    'a-x64.msi',
    'a-arm64.dmg',
    'a.AppImage',
    'a.txt',
  ]
  const assets = files.map((name) => ({ ...guessTraits(name), name }))
  const select = (platform: Platform, arch: Arch) => selectAssets(assets, { platform, arch }).map(({ name }) => name)
  assert.deepEqual(select('windows', 'x64'), ['a-x64.exe', 'a-x64.msi', 'a-win.zip', 'a.txt', 'a-ia32.exe'])
  assert.deepEqual(select('windows', 'arm64'), ['a-arm64.exe', 'a-win.zip', 'a.txt'])
  assert.deepEqual(select('windows', 'ia32'), ['a-ia32.exe', 'a-win.zip', 'a.txt'])
  assert.deepEqual(select('macos', 'arm64'), ['a-arm64.dmg', 'a.txt'])
  assert.deepEqual(select('macos', 'x64'), ['a.txt'])
  assert.deepEqual(select('linux', 'x64'), ['a.AppImage', 'a.txt'])
  assert.deepEqual(select('linux', 'arm64'), ['a.txt'])
})
