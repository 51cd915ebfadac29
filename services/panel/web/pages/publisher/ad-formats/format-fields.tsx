import { ActionIcon, Autocomplete, Button, Checkbox, Input, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import {
  FORMAT_IMAGES_MAX,
  FORMAT_SIDE_PIXELS_MAX,
  FORMAT_TEXT_FIELDS_MAX,
  NAME_CHARS_MAX,
  TEXT_FIELD_CHARS_MAX,
} from '../../../../../../schemas/http/panel/limits.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import { t } from '../../../messages/pages/shop/ad-formats.ts'
import classes from './ad-format-new-page.module.css'

export interface FormatValues {
  name: string
  images: { name: string; width: number; height: number }[]
  textFields: { type: string; required: boolean; maxLength: number }[]
}

type Form = UseFormReturnType<FormatValues>

const knownTypes = ['TITLE', 'SUBTITLE', 'DESCRIPTION', 'CTA', 'BG_COLOR', 'TEXT_COLOR']

export function FormatFields({ form }: { form: Form }) {
  return (
    <>
      <FormSection title={t('format')}>
        <TextInput
          label={t('name')}
          description={t('nameHelp')}
          required
          maxLength={NAME_CHARS_MAX}
          {...form.getInputProps('name')}
        />
      </FormSection>
      <FormSection title={t('images')} description={t('imagesHelp')}>
        <Images form={form} />
      </FormSection>
      <FormSection title={t('texts')} description={t('textsHelp')}>
        <Texts form={form} />
      </FormSection>
    </>
  )
}

function Images({ form }: { form: Form }) {
  const { images } = form.values
  const side = (label: string, path: string) => (
    <NumberField label={label} required min={1} max={FORMAT_SIDE_PIXELS_MAX} {...form.getInputProps(path)} />
  )
  return (
    <>
      {images.map((_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: images have nothing but their place
        <div key={i} className={`${classes.row} ${classes.image}`}>
          <TextInput label={t('imageName', { number: i + 1 })} {...form.getInputProps(`images.${i}.name`)} />
          {side(t('width'), `images.${i}.width`)}
          {side(t('height'), `images.${i}.height`)}
          <Remove label={t('removeImage', { number: i + 1 })} onClick={() => form.removeListItem('images', i)} />
        </div>
      ))}
      <Add
        label={t('addImage')}
        isFull={images.length === FORMAT_IMAGES_MAX}
        error={form.errors.images}
        onClick={() => form.insertListItem('images', { name: '', width: 300, height: 250 })}
      />
    </>
  )
}

function Texts({ form }: { form: Form }) {
  const { textFields } = form.values
  return (
    <>
      {textFields.map((_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the type is being typed
        <div key={i} className={`${classes.row} ${classes.text}`}>
          <Autocomplete
            label={t('textType', { number: i + 1 })}
            required
            data={knownTypes}
            {...form.getInputProps(`textFields.${i}.type`)}
            onChange={(value) => form.setFieldValue(`textFields.${i}.type`, value.toUpperCase().replaceAll(/\W/g, '_'))}
          />
          <NumberField
            label={t('maxLength')}
            required
            min={1}
            max={TEXT_FIELD_CHARS_MAX}
            {...form.getInputProps(`textFields.${i}.maxLength`)}
          />
          <Checkbox
            className={classes.required}
            label={t('required')}
            {...form.getInputProps(`textFields.${i}.required`, { type: 'checkbox' })}
          />
          <Remove label={t('removeText', { number: i + 1 })} onClick={() => form.removeListItem('textFields', i)} />
        </div>
      ))}
      <Add
        label={t('addText')}
        isFull={textFields.length === FORMAT_TEXT_FIELDS_MAX}
        error={form.errors.textFields}
        onClick={() => form.insertListItem('textFields', { type: '', required: false, maxLength: 60 })}
      />
    </>
  )
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="default" size={36} aria-label={label} onClick={onClick} className={classes.remove}>
      <IconTrash size={16} aria-hidden />
    </ActionIcon>
  )
}

interface AddProps {
  label: string
  isFull: boolean
  error: ReactNode
  onClick: () => void
}

function Add({ label, isFull, error, onClick }: AddProps) {
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        disabled={isFull}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={onClick}
      >
        {label}
      </Button>
      {error && <Input.Error mt={4}>{error}</Input.Error>}
    </div>
  )
}
