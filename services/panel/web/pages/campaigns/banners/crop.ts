export interface Size {
  width: number
  height: number
}

/** A part of a picture, in pixels. */
export interface Area extends Size {
  x: number
  y: number
}

/** The chosen part of a picture. `zoom` 1 is the largest part with the target's proportions; `across` and `down`, 0 to 1, place it. */
export interface Framing {
  zoom: number
  across: number
  down: number
}

/** The area that the framing covers, in the proportions of `target`. It is always inside the picture. */
export function areaOf(picture: Size, target: Size, { zoom, across, down }: Framing): Area {
  const scale = Math.min(picture.width / target.width, picture.height / target.height) / zoom
  const [width, height] = [target.width * scale, target.height * scale]
  return { x: (picture.width - width) * across, y: (picture.height - height) * down, width, height }
}

/** The largest zoom that needs no upscaling. */
export const zoomMax = (picture: Size, target: Size): number =>
  Math.max(1, Math.min(picture.width / target.width, picture.height / target.height))

/** Whether a picture has enough pixels for the target. */
export const isLargeEnough = (picture: Size, target: Size): boolean =>
  picture.width >= target.width && picture.height >= target.height
