import { IMAGE_BYTES_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import { areaOf, type Framing, type Size } from './crop.ts'

/** The types that the API accepts (docs/display.md). */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp']
/** The limit for a picture that is cropped before it is sent; enough for any camera. */
export const SOURCE_BYTES_MAX = 30_000_000

const QUALITY = 0.92

/** The size of a picture in pixels. @throws when it cannot be decoded. */
export async function pictureSize(file: Blob): Promise<Size> {
  const bitmap = await createImageBitmap(file)
  const { width, height } = bitmap
  bitmap.close()
  return { width, height }
}

/** Crops and scales a picture to the target's size. Writes WEBP if the picture would be too large in its own type. */
export async function croppedPicture(file: Blob, target: Size, framing: Framing): Promise<Blob> {
  const bitmap = await createImageBitmap(file)
  const { x, y, width, height } = areaOf(bitmap, target, framing)
  const canvas = document.createElement('canvas')
  canvas.width = target.width
  canvas.height = target.height
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, x, y, width, height, 0, 0, target.width, target.height)
  bitmap.close()
  const same = await encoded(canvas, file.type)
  return same.size <= IMAGE_BYTES_MAX ? same : encoded(canvas, 'image/webp')
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const take = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('The picture cannot be written')))
    canvas.toBlob(take, type, QUALITY)
  })
}

export interface UploadedPicture {
  id: string
  width: number
  height: number
}

/** Uploads a picture for an account; '' for the user's own. @throws ApiProblem */
export function uploadImage(picture: Blob, accountId: string): Promise<UploadedPicture> {
  const form = new FormData()
  if (accountId !== '') form.append('accountId', accountId)
  form.append('file', picture, 'picture')
  // The generated client types a multipart form as JSON.
  const body = form as unknown as { file: string }
  return answer(client.POST('/v1/panel/images', { body, bodySerializer: () => form }))
}
