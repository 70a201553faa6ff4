import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../../kit/root.ts'

test('the colours of charts stay apart for people with any kind of colour blindness', async () => {
  const style = await readFile(join(ROOT, 'src/http/pages/operator/style/charts.css'), 'utf8')
  const pairs = [...style.matchAll(/--mark-\w+: light-dark\((#\w{6}), (#\w{6})\)/g)]
  assert.equal(pairs.length, 7)
  for (const theme of [1, 2]) {
    const colours = pairs.map((pair) => pair[theme]!)
    for (const [kind, matrix] of Object.entries(COLOUR_BLINDNESS)) {
      const seen = colours.map((colour) => toOklab(multiply(matrix, toLinear(colour))))
      for (const [n, a] of seen.entries()) {
        for (const [m, b] of seen.slice(0, n).entries()) {
          const distance = Math.hypot(...a.map((value, axis) => value - b[axis]!))
          assert.ok(distance > 0.11, `${kind}: ${colours[n]} and ${colours[m]} look alike (${distance.toFixed(3)})`)
        }
      }
    }
  }
})

type Vector = readonly number[]

/** Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB. */
const COLOUR_BLINDNESS: Readonly<Record<string, readonly Vector[]>> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const multiply = (matrix: readonly Vector[], vector: Vector): number[] =>
  matrix.map((row) => row.reduce((sum, value, n) => sum + value * vector[n]!, 0))

const toLinear = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })

/** A colour space in which distances are as large as they look. */
function toOklab(rgb: Vector): number[] {
  const cones = multiply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb.map((value) => Math.min(1, Math.max(0, value))),
  )
  return multiply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt),
  )
}
