import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { randomId } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { BANNERS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import type { AdFormat } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import type { SectionProps } from '../editor/campaign-form.ts'
import type { BannerValues } from '../editor/values/campaign-values.ts'
import { BannerEditor, contentFor } from './banner-editor.tsx'

/** The banners of a display campaign. */
export function BannersSection({ form, formats }: SectionProps & { formats: readonly AdFormat[] | undefined }) {
  const { banners } = form.values
  const first = formats?.[0]
  return (
    <FormSection title={t('stepBanners')} description={t('bannersHelp')}>
      {!formats && <Skeleton height={220} />}
      {formats && !first && <Text size="sm">{t('noFormats')}</Text>}
      {formats && first && (
        <Stack gap="md">
          {banners.map((banner, at) => (
            <BannerEditor
              key={banner.key}
              form={form}
              at={at}
              formats={formats}
              onRemove={() => form.removeListItem('banners', at)}
            />
          ))}
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              disabled={banners.length >= BANNERS_MAX}
              onClick={() => {
                form.insertListItem('banners', newBanner(first))
                form.clearFieldError('banners')
              }}
            >
              {t('addBanner')}
            </Button>
          </div>
        </Stack>
      )}
      {form.errors.banners && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {form.errors.banners}
        </Text>
      )}
    </FormSection>
  )
}

const newBanner = (format: AdFormat): BannerValues => ({
  key: randomId(),
  id: null,
  logoImageId: null,
  lang: '',
  ...contentFor(format),
})
