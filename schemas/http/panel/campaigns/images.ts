import { Type } from 'typebox'
import { IdText, ListQuery } from '../common.ts'

const ImageId = Type.String({ description: 'SHA-256 of its content, base64url' })

/** Documents the form; its parts are read as they come. */
export const ImageUpload = Type.Object({
  file: Type.String({ contentMediaType: 'application/octet-stream', description: 'The image: PNG, JPEG or WEBP' }),
  accountId: Type.Optional(IdText("Who may use it; without it, the caller's account")),
})
export const ImageView = Type.Object({
  id: ImageId,
  mediaType: Type.Enum(['image/png', 'image/jpeg', 'image/webp']),
  width: Type.Integer({ description: 'Pixels' }),
  height: Type.Integer({ description: 'Pixels' }),
  bytes: Type.Integer({ description: 'Size as it is served' }),
  url: Type.String({ description: 'Where it is served, to anyone' }),
})
export const ImageQuery = ListQuery({})
export const ImageParams = Type.Object({ id: Type.String({ maxLength: 100, description: 'Id of the image' }) })
