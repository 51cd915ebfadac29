import { Radio, Stack, VisuallyHidden } from '@mantine/core'
import { FormSection } from '../../../components/form/form-section.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import type { SectionProps } from './campaign-form.ts'

/** The status of the campaign. A campaign that has run cannot become a draft again. */
export function SwitchSection({ form, isNew }: SectionProps) {
  const wasDraft = form.getInitialValues().status === 'DRAFT'
  const isDisplay = form.values.kind === 'DISPLAY'
  return (
    <FormSection title={t('status')}>
      <Radio.Group label={<VisuallyHidden>{t('status')}</VisuallyHidden>} {...form.getInputProps('status')}>
        <Stack gap="xs">
          <Radio
            value="ACTIVE"
            label={t('active')}
            description={isDisplay ? t('activeDisplayHelp') : t('activeHelp')}
          />
          {(isNew || wasDraft) && <Radio value="DRAFT" label={t('draft')} description={t('draftHelp')} />}
          {!isNew && !wasDraft && <Radio value="PAUSED" label={t('paused')} description={t('pausedHelp')} />}
        </Stack>
      </Radio.Group>
    </FormSection>
  )
}
