import type { ImageType } from '../../../schemas/records/entities.ts'

export const mediaTypes = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
  WEBP: 'image/webp',
} as const satisfies Record<ImageType, string>

/** Where browsers load an image from. Its content never changes: the id follows from it. */
export function imageUrl(publicUrl: string, imageId: string): string {
  return `${publicUrl}/v1/images/${imageId}`
}
