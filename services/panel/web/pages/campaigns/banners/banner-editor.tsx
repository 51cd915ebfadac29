import { Button, ColorInput, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import type { AdFormat } from '../../../client/types.ts'
import { CampaignBannerPreview, labelOf } from '../../../components/values/banner-preview.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import type { CampaignForm } from '../editor/campaign-form.ts'
import type { BannerValues } from '../editor/values/campaign-values.ts'
import { ImageField } from './image-field.tsx'

export interface BannerEditorProps {
  form: CampaignForm
  /** Index of the banner in the form. */
  at: number
  formats: readonly AdFormat[]
  onRemove: () => void
}

/** Edits one banner: format, images and texts, with a preview. */
export function BannerEditor({ form, at, formats, onRemove }: BannerEditorProps) {
  const path = `banners.${at}`
  const banner = form.values.banners[at]!
  const { accountId } = form.values
  const format = formats.find(({ id }) => id === banner.adFormatId)
  const errorOf = (field: string) => form.errors[`${path}.${field}`] as string | undefined
  const setFormat = (id: string) => {
    const next = formats.find((each) => each.id === id)
    if (next) form.setFieldValue(path, { ...banner, ...contentFor(next, banner) })
  }
  /** Sets an image once it is uploaded: the banner may have moved meanwhile, been removed, or got another format. */
  const setImage = (field: string, imageId: string | null) => {
    const { banners } = form.getValues()
    const now = banners.findIndex(({ key, adFormatId }) => key === banner.key && adFormatId === banner.adFormatId)
    if (now >= 0) form.setFieldValue(`banners.${now}.${field}`, imageId)
  }
  const missing = errorOf('textFields') ?? errorOf('images')

  return (
    <Paper withBorder p="md" component="section" aria-label={t('banner', { number: at + 1 })}>
      <Group justify="space-between" mb="sm">
        <Title order={3}>{t('banner', { number: at + 1 })}</Title>
        <Button variant="subtle" color="red" size="compact-sm" onClick={onRemove}>
          {t('remove')}
        </Button>
      </Group>
      <Stack gap="md">
        <Select
          label={t('adFormat')}
          required
          allowDeselect={false}
          data={formats.map(({ id, name }) => ({ value: id, label: name }))}
          value={banner.adFormatId}
          onChange={(id) => id && setFormat(id)}
          error={errorOf('adFormatId')}
        />
        {format?.images.map(({ width, height }, i) => (
          <ImageField
            // biome-ignore lint/suspicious/noArrayIndexKey: images have nothing but their place
            key={`${format.id}.${i}`}
            label={imageLabel(format, i)}
            size={{ width, height }}
            imageId={banner.images[i]?.imageId ?? ''}
            accountId={accountId}
            error={errorOf(`images.${i}.imageId`)}
            onChange={(imageId) => setImage(`images.${i}.imageId`, imageId)}
          />
        ))}
        {banner.textFields.map(({ type }, i) => (
          <BannerText key={type} form={form} banner={at} at={i} type={type} format={format} />
        ))}
        <ImageField
          label={t('logo')}
          size={null}
          imageId={banner.logoImageId ?? ''}
          accountId={accountId}
          error={errorOf('logoImageId')}
          onChange={(imageId) => setImage('logoImageId', imageId === '' ? null : imageId)}
        />
        <TextInput
          label={t('textLanguage')}
          description={t('textLanguageHelp')}
          maxLength={3}
          maw={220}
          {...form.getInputProps(`${path}.lang`)}
        />
        {missing && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {missing}
          </Text>
        )}
        {format && (
          <div>
            <Text size="sm" fw={500} mb={6}>
              {t('preview')}
            </Text>
            <CampaignBannerPreview format={format} banner={banner} />
            <Text size="xs" c="dimmed" mt={6}>
              {t('previewHelp')}
            </Text>
          </div>
        )}
      </Stack>
    </Paper>
  )
}

/** The images and texts of a format: the images empty, the texts empty or taken from the previous format. */
export function contentFor({ id, images, textFields }: AdFormat, before?: BannerValues) {
  const textOf = (type: string) => before?.textFields.find((field) => field.type === type)?.value ?? ''
  return {
    adFormatId: id,
    images: images.map(() => ({ imageId: '' })),
    textFields: textFields.map(({ type }) => ({ type, value: textOf(type) })),
  }
}

/** The label of an image: its name in the format if it has one, else 'Image 2', or 'Image' if there is only one. */
function imageLabel({ images }: AdFormat, at: number): string {
  const name = images[at]?.name ?? (images.length > 1 ? t('imageNumber', { number: at + 1 }) : t('image'))
  return name.charAt(0).toUpperCase() + name.slice(1)
}

interface BannerTextProps {
  form: CampaignForm
  /** Indices in the form. */
  banner: number
  at: number
  type: string
  format: AdFormat | undefined
}

function BannerText({ form, banner, at, type, format }: BannerTextProps) {
  const field = format?.textFields.find((each) => each.type === type)
  const { value = '', ...props } = form.getInputProps(`banners.${banner}.textFields.${at}.value`)
  const common = { label: labelOf(type), required: field?.required ?? false }
  if (type.endsWith('_COLOR')) {
    return (
      <ColorInput
        {...common}
        format="hexa"
        description={common.required ? undefined : t('colorHelp')}
        eyeDropperButtonProps={{ 'aria-label': t('pickColor', { field: labelOf(type) }) }}
        maw={220}
        value={value}
        {...props}
      />
    )
  }
  // Counts code points, as the API does, not UTF-16 units.
  const used = [...value].length
  return (
    <TextInput
      {...common}
      description={t('charsUsed', { used, max: field?.maxLength ?? '–' })}
      value={value}
      {...props}
      error={props.error ?? (field && used > field.maxLength ? t('charsMax', { max: field.maxLength }) : undefined)}
    />
  )
}
