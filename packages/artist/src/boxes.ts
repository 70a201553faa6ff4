import type { Point } from './curves.ts'
import { SIZE } from './svg.ts'

/** A rectangle of the picture. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

interface Element {
  name: string
  attributes: string
  children: Element[]
}

type Move = (point: Point) => Point

function read({ attributes }: Element, name: string): string {
  const start = attributes.indexOf(` ${name}="`) + name.length + 3
  return start > name.length + 2 ? attributes.slice(start, attributes.indexOf('"', start)) : ''
}

const readNumbers = (text: string) => (text.match(/-?\d*\.?\d+/g) ?? []).map(Number)

/** The corners and control points of a path. They enclose it. */
function listPathPoints(d: string): Point[] {
  const points: Point[] = []
  let [x, y] = [0, 0]
  for (const [, command, text] of d.matchAll(/([a-z])([^a-z]*)/gi)) {
    const numbers = readNumbers(text!)
    const name = command!.toLowerCase()
    const size = { h: 1, v: 1, s: 4, q: 4, c: 6, a: 7 }[name] ?? 2
    for (let i = 0; i < numbers.length; i += size) {
      const [fromX, fromY] = name === command ? [x, y] : [0, 0]
      for (let j = name === 'a' ? 5 : 0; j < size; j += 2) {
        if (name !== 'v') x = fromX + numbers[i + j]!
        if (name !== 'h') y = fromY + numbers[i + j + (name === 'v' ? 0 : 1)]!
        points.push([x, y])
      }
      // Arcs are parts of ellipses that end at the height of their centre.
      if (name === 'a') points.push([x, y - numbers[i + 1]!], [x, y + numbers[i + 1]!])
    }
  }
  return points
}

function listPoints(element: Element): Point[] {
  if (element.name === 'path') return listPathPoints(read(element, 'd'))
  const get = (name: string) => Number(read(element, name))
  const [rx, ry] = [get('rx') || get('r'), get('ry') || get('r')]
  const [left, top, right, bottom] =
    element.name === 'rect'
      ? [get('x'), get('y'), get('x') + get('width'), get('y') + get('height')]
      : [get('cx') - rx, get('cy') - ry, get('cx') + rx, get('cy') + ry]
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ]
}

function readMove(element: Element, outer: Move): Move {
  const transform = read(element, 'transform')
  if (!transform) return outer
  const moves = Array.from(transform.matchAll(/(\w)\w+\(([^)]*)/g), ([, name, text]): Move => {
    const [a = 0, b = 0, , , e = 0] = readNumbers(text!)
    const [sin, cos] = [Math.sin((a / 180) * Math.PI), Math.cos((a / 180) * Math.PI)]
    return ([x, y]) =>
      name === 't'
        ? [x + a, y + b]
        : name === 's'
          ? [x * a, y * a]
          : name === 'm'
            ? [x * a + e, y]
            : [x * cos - y * sin, x * sin + y * cos]
  })
  return (point) => outer(moves.reduceRight((moved, move) => move(moved), point))
}

/** The boxes of all shapes in the text of a drawing, so that scenery can avoid them. Strokes have no width here. */
export function listBoxes(text: string): Box[] {
  const root: Element = { name: 'g', attributes: '', children: [] }
  const open = [root]
  const byReference = new Map<string, Element>()
  for (const [, end, name, attributes] of text.matchAll(/<(\/?)(\w+)([^>]*)>/g)) {
    if (end) open.pop()
    else {
      const element: Element = { name: name!, attributes: attributes!, children: [] }
      open.at(-1)!.children.push(element)
      if (attributes!.startsWith(' id')) byReference.set(`#${read(element, 'id')}`, element)
      if (!attributes!.endsWith('/')) open.push(element)
    }
  }
  const list = (element: Element, outer: Move): Box[] => {
    const { name, children } = element
    if (name === 'clipPath') return []
    // The turn of an ellipse is ignored: turned ellipses are small.
    const move = name === 'ellipse' ? outer : readMove(element, outer)
    const used = name === 'use' && byReference.get(read(element, 'href'))
    if (used) return list(used, move)
    if (name !== 'g') {
      const points = listPoints(element).map(move)
      const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
      return [[Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]]
    }
    const clip = byReference.get(read(element, 'clip-path').slice(4, -1))
    const edge = clip && list(clip.children[0]!, move)[0]!
    // Most clips are the outline of a shape, so their box is enough. One as wide as the picture only cuts off a part.
    return edge && edge[2] - edge[0] < SIZE ? [edge] : children.flatMap((child) => list(child, move))
  }
  return list(root, (point) => point)
}
