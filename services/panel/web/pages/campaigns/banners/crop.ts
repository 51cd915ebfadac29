export interface Size {
  width: number
  height: number
}

/** A part of a picture, in its pixels. */
export interface Area extends Size {
  x: number
  y: number
}

/** What of a picture is taken: 1 is the most that has the proportions of the target, and the place of its middle, 0 to 1. */
export interface Framing {
  zoom: number
  across: number
  down: number
}

/** The part with the proportions of `target` that the framing takes of a picture. It never leaves the picture. */
export function areaOf(picture: Size, target: Size, { zoom, across, down }: Framing): Area {
  const scale = Math.min(picture.width / target.width, picture.height / target.height) / zoom
  const [width, height] = [target.width * scale, target.height * scale]
  return { x: (picture.width - width) * across, y: (picture.height - height) * down, width, height }
}

/** How far one may zoom in before pixels would have to be made up. */
export const zoomMax = (picture: Size, target: Size): number =>
  Math.max(1, Math.min(picture.width / target.width, picture.height / target.height))

/** Whether a picture has pixels enough for the target. */
export const isLargeEnough = (picture: Size, target: Size): boolean =>
  picture.width >= target.width && picture.height >= target.height
