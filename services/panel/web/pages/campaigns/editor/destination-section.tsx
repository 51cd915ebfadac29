import { Select, TextInput } from '@mantine/core'
import { FormSection } from '../../../components/form/form-section.tsx'
import { countryChoices } from '../countries.ts'
import type { SectionProps } from './campaign-form.ts'

/** Where banners are shown, and where they lead. */
export function DestinationSection({ form }: SectionProps) {
  return (
    <FormSection title="Destination" description="Where the banners are shown, and where a click leads.">
      <Select
        label="Country"
        description="Only shoppers there see it"
        required
        searchable
        allowDeselect={false}
        data={countryChoices()}
        {...form.getInputProps('country')}
      />
      <TextInput
        label="Target URL"
        type="url"
        required
        maxLength={2_000}
        placeholder="https://"
        {...form.getInputProps('targetUrl')}
      />
      <TextInput
        label="Mobile deep link"
        description="Where a click leads in an app; to the target URL without it"
        maxLength={2_000}
        {...form.getInputProps('mobileDeepLink')}
      />
    </FormSection>
  )
}
