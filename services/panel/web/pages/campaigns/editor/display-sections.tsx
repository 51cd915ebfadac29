import { Select, TagsInput, TextInput } from '@mantine/core'
import type { AdFormat } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { BannersSection } from '../banners/banners-section.tsx'
import { countryChoices } from '../countries.ts'
import type { SectionProps } from './campaign-form.ts'
import { errorUnder } from './values/campaign-problems.ts'
import { targetingLists } from './values/targeting-lists.ts'

/** The sections that only display campaigns have. */
export default function DisplaySections(props: SectionProps & { formats: readonly AdFormat[] | undefined }) {
  return (
    <>
      <DestinationSection {...props} />
      <BannersSection {...props} />
      <TargetingSection {...props} />
    </>
  )
}

/** Where banners are shown, and where a click leads. */
function DestinationSection({ form }: SectionProps) {
  return (
    <FormSection title={t('destination')} description={t('destinationHelp')}>
      <Select
        label={t('country')}
        description={t('countryHelp')}
        required
        searchable
        allowDeselect={false}
        data={countryChoices()}
        {...form.getInputProps('country')}
      />
      <TextInput
        label={t('targetUrl')}
        type="url"
        required
        maxLength={2_000}
        placeholder="https://"
        {...form.getInputProps('targetUrl')}
      />
      <TextInput
        label={t('deepLink')}
        description={t('deepLinkHelp')}
        maxLength={2_000}
        {...form.getInputProps('mobileDeepLink')}
      />
    </FormSection>
  )
}

/** On which pages and to whom banners are shown. */
function TargetingSection({ form }: SectionProps) {
  return (
    <FormSection title={t('targeting')} description={t('targetingHelp')}>
      {targetingLists.map(({ name, label, description }) => (
        <TagsInput
          key={name}
          label={label}
          description={description}
          maxTags={1_000}
          splitChars={name === 'categoryPaths' ? ['\n'] : [',', '\n']}
          {...form.getInputProps(`targeting.${name}`)}
          error={errorUnder(form.errors, `targeting.${name}`)}
        />
      ))}
    </FormSection>
  )
}
