import type { ImageType } from '../../../schemas/records/entities.ts'

export const mediaTypes = {
  PNG: 'image/png',
  JPEG: 'image/jpeg',
  WEBP: 'image/webp',
} as const satisfies Record<ImageType, string>

/** The URL of an image for browsers. Its content never changes, because the id is derived from the content. */
export function imageUrl(publicUrl: string, imageId: string): string {
  return `${publicUrl}/v1/images/${imageId}`
}
