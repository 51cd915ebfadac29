import '@mantine/dropzone/styles.css'
import { ActionIcon, Input, Text } from '@mantine/core'
import { Dropzone, type FileRejection } from '@mantine/dropzone'
import { IconX } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { IMAGE_BYTES_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { imageUrl } from '../../../components/values/banner-preview.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { uncapitalised } from '../../../messages/uncapitalised.ts'
import { isLargeEnough, type Size } from './crop.ts'
import { CropDialog } from './crop-dialog.tsx'
import classes from './image-field.module.css'
import { PICTURE_TYPES, pictureSize, SOURCE_BYTES_MAX, uploadImage } from './picture-file.ts'

export interface ImageFieldProps {
  label: string
  /** The required size; null when any size is allowed. */
  size: Size | null
  /** '' when there is no image. */
  imageId: string
  /** The account that pays; '' for the user's own. */
  accountId: string
  error: string | undefined
  onChange: (imageId: string) => void
}

/** An image of a banner. It is dropped or chosen, cropped if it is larger than required, and uploaded at once. */
export function ImageField({ label, size, imageId, accountId, error, onChange }: ImageFieldProps) {
  const id = useId()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const [toCrop, setToCrop] = useState<{ file: File; picture: Size } | null>(null)
  const wanted = size && `${size.width} × ${size.height}`

  async function send(picture: Blob) {
    setBusy(true)
    setRefusal(undefined)
    try {
      onChange((await uploadImage(picture, accountId)).id)
      setToCrop(null)
    } catch (problem) {
      setRefusal((problem as Error).message)
    } finally {
      setBusy(false)
    }
  }

  async function take(file: File) {
    setRefusal(undefined)
    const picture = await pictureSize(file).catch(() => null)
    if (picture === null) return setRefusal(t('unreadablePicture'))
    const isExact = size === null || (picture.width === size.width && picture.height === size.height)
    if (isExact && file.size <= IMAGE_BYTES_MAX) return send(file)
    if (size === null) return setRefusal(t('pictureTooHeavy', { size: inKb(file.size), max: inKb(IMAGE_BYTES_MAX) }))
    if (isLargeEnough(picture, size)) return setToCrop({ file, picture })
    setRefusal(t('pictureTooSmall', { ...picture, wanted: wanted! }))
  }

  const said = refusal ?? error
  return (
    <Input.Wrapper label={label} description={hint(wanted)} error={said} labelElement="div" id={id}>
      <div className={classes.field}>
        {imageId !== '' && <img className={classes.shown} src={imageUrl(imageId)} alt={label} />}
        <Dropzone
          className={classes.drop}
          accept={PICTURE_TYPES}
          maxSize={SOURCE_BYTES_MAX}
          multiple={false}
          loading={isBusy}
          onDrop={([file]) => file && void take(file)}
          onReject={(rejected) => setRefusal(whyRejected(rejected))}
          inputProps={{ 'aria-label': label }}
          aria-label={t('dropLabel', { label })}
        >
          <Text size="sm">{imageId === '' ? t('dropFirst') : t('dropAnother')}</Text>
        </Dropzone>
        {imageId !== '' && size === null && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('removeOne', { name: uncapitalised(label) })}
            onClick={() => onChange('')}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {toCrop && size && (
        <CropDialog {...toCrop} target={size} isBusy={isBusy} onDone={send} onClose={() => setToCrop(null)} />
      )}
    </Input.Wrapper>
  )
}

function hint(wanted: string | null): string {
  return wanted ? t('pictureHelpSized', { wanted }) : t('pictureHelp')
}

function whyRejected([rejection]: FileRejection[]): string {
  const code = rejection?.errors[0]?.code
  if (code === 'file-invalid-type') return t('wrongType')
  if (code === 'file-too-large') return t('fileTooLarge', { max: inKb(SOURCE_BYTES_MAX) })
  return t('onePicture')
}

const inKb = (bytes: number) => `${new Intl.NumberFormat().format(Math.ceil(bytes / 1000))} kB`
