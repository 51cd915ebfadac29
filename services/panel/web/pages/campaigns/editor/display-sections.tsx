import { Select, TagsInput, TextInput } from '@mantine/core'
import { TARGETING_VALUES_MAX, URL_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
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
        maxLength={URL_CHARS_MAX}
        placeholder="https://"
        {...form.getInputProps('targetUrl')}
      />
      <TextInput
        label={t('deepLink')}
        description={t('deepLinkHelp')}
        maxLength={URL_CHARS_MAX}
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
          maxTags={TARGETING_VALUES_MAX}
          splitChars={name === 'categoryPaths' ? ['\n'] : [',', '\n']}
          {...form.getInputProps(`targeting.${name}`)}
          error={errorUnder(form.errors, `targeting.${name}`)}
        />
      ))}
    </FormSection>
  )
}
