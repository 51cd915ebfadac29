import { ActionIcon, Autocomplete, Button, Checkbox, Input, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { FormSection } from '../../../components/form/form-section.tsx'
import { NumberField } from '../../../components/form/number-field.tsx'
import classes from './ad-format-new-page.module.css'

export interface FormatValues {
  name: string
  images: { name: string; width: number; height: number }[]
  textFields: { type: string; required: boolean; maxLength: number }[]
}

type Form = UseFormReturnType<FormatValues>

const IMAGES_MAX = 10
const TEXTS_MAX = 20
const SIDE_PIXELS_MAX = 4_096
const TEXT_CHARS_MAX = 1_000
const knownTypes = ['TITLE', 'SUBTITLE', 'DESCRIPTION', 'CTA', 'BG_COLOR', 'TEXT_COLOR']

export function FormatFields({ form }: { form: Form }) {
  return (
    <>
      <FormSection title="Format">
        <TextInput
          label="Name"
          description="What advertisers choose it by: “Listing banner”"
          required
          maxLength={200}
          {...form.getInputProps('name')}
        />
      </FormSection>
      <FormSection title="Images" description="A banner has each of these, in exactly this size, in pixels.">
        <Images form={form} />
      </FormSection>
      <FormSection
        title="Texts"
        description="Types in capitals. Those that end in _COLOR hold a colour, such as BG_COLOR."
      >
        <Texts form={form} />
      </FormSection>
    </>
  )
}

function Images({ form }: { form: Form }) {
  const { images } = form.values
  const side = (label: string, path: string) => (
    <NumberField label={label} required min={1} max={SIDE_PIXELS_MAX} {...form.getInputProps(path)} />
  )
  return (
    <>
      {images.map((_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: images have nothing but their place
        <div key={i} className={`${classes.row} ${classes.image}`}>
          <TextInput label={`Image ${i + 1}, name`} placeholder="Desktop" {...form.getInputProps(`images.${i}.name`)} />
          {side('Width', `images.${i}.width`)}
          {side('Height', `images.${i}.height`)}
          <Remove label={`Remove image ${i + 1}`} onClick={() => form.removeListItem('images', i)} />
        </div>
      ))}
      <Add
        label="Add an image"
        isFull={images.length === IMAGES_MAX}
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
            label={`Text ${i + 1}, type`}
            required
            data={knownTypes}
            {...form.getInputProps(`textFields.${i}.type`)}
            onChange={(value) => form.setFieldValue(`textFields.${i}.type`, value.toUpperCase().replaceAll(/\W/g, '_'))}
          />
          <NumberField
            label="Longest"
            required
            min={1}
            max={TEXT_CHARS_MAX}
            {...form.getInputProps(`textFields.${i}.maxLength`)}
          />
          <Checkbox
            className={classes.required}
            label="Required"
            {...form.getInputProps(`textFields.${i}.required`, { type: 'checkbox' })}
          />
          <Remove label={`Remove text ${i + 1}`} onClick={() => form.removeListItem('textFields', i)} />
        </div>
      ))}
      <Add
        label="Add a text"
        isFull={textFields.length === TEXTS_MAX}
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
