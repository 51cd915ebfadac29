import { answer, client } from '../../../client/client.ts'

export interface UploadedPicture {
  id: string
  width: number
  height: number
}

/** Stores a picture for the account; without one, for the user's own. @throws ApiProblem */
export function uploadImage(picture: Blob, accountId: string): Promise<UploadedPicture> {
  const form = new FormData()
  if (accountId !== '') form.append('accountId', accountId)
  form.append('file', picture, 'picture')
  // The client types the parts of a form as the JSON that they are not.
  const body = form as unknown as { file: string }
  return answer(client.POST('/v1/panel/images', { body, bodySerializer: () => form }))
}
