import { Radio, Stack } from '@mantine/core'
import { FormSection } from '../../../components/form/form-section.tsx'
import type { SectionProps } from './campaign-form.ts'

/** The status of the campaign. A campaign that has run cannot become a draft again. */
export function SwitchSection({ form, isNew }: SectionProps) {
  const wasDraft = form.getInitialValues().status === 'DRAFT'
  const isDisplay = form.values.kind === 'DISPLAY'
  return (
    <FormSection title="Switch">
      <Radio.Group aria-label="Switch" {...form.getInputProps('status')}>
        <Stack gap="xs">
          <Radio
            value="ACTIVE"
            label="On"
            description={`Runs from its start on${isDisplay ? ', once the publisher has accepted its banners' : ''}`}
          />
          {(isNew || wasDraft) && (
            <Radio value="DRAFT" label="Draft" description="Kept, and not shown until it is switched on" />
          )}
          {!isNew && !wasDraft && <Radio value="PAUSED" label="Paused" description="Not shown until it is resumed" />}
        </Stack>
      </Radio.Group>
    </FormSection>
  )
}
