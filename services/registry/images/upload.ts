import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { IMAGE_BYTES_MAX } from '../../../schemas/http/panel/limits.ts'
import { fieldProblem, Problem } from '../../domain/errors.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'
import { FieldErrors } from '../resources/field-errors.ts'

/** Limits of the form, as options of @fastify/multipart. Sizes are in bytes. */
export const UPLOAD_LIMITS = {
  fileSize: IMAGE_BYTES_MAX,
  files: 1,
  fields: 1,
  fieldSize: 100,
  fieldNameSize: 100,
  parts: 2,
  headerPairs: 20,
}

export interface Upload {
  file: Buffer | null
  accountId: string | undefined
}

/** Reads a form of one file and perhaps an accountId. @throws Problem UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
  if (!request.isMultipart()) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the image as the file of a multipart/form-data body')
  }
  const upload: Upload = { file: null, accountId: undefined }
  const fieldErrors = new FieldErrors()
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') upload.file = await readFile(request, part)
      else if (part.fieldname === 'accountId') upload.accountId = canonicalId(String(part.value))
      else fieldErrors.add(`/${part.fieldname}`, 'is not a part that can be sent here')
    }
  } catch (error) {
    // Read and drop the rest of the body, because the next request on the connection follows it.
    request.raw.unpipe().resume()
    throw formProblem(error as Error & { code?: string })
  }
  fieldErrors.throwIfAny()
  return upload
}

async function readFile(request: FastifyRequest, { file }: MultipartFile): Promise<Buffer> {
  const bytes = await request.server.bodies.read(request, file, IMAGE_BYTES_MAX)
  if (file.truncated) throw new Problem('TOO_LARGE', `An image has at most ${IMAGE_BYTES_MAX} bytes`)
  return bytes
}

function formProblem(error: (Error & { code?: string }) | Problem): Problem {
  if (error instanceof Problem) return error
  switch (error.code) {
    case 'FST_FILES_LIMIT':
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return new Problem('TOO_LARGE', 'The form may only have one file and an accountId')
    default:
      return fieldProblem('INVALID', [{ path: '/', message: 'is not complete multipart/form-data' }], { cause: error })
  }
}
