import { Select, TagsInput, TextInput } from '@mantine/core'
import type { AdFormat } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { BannersSection } from '../banners/banners-section.tsx'
import { countryChoices } from '../countries.ts'
import { AttributionSection, ProductsSection } from '../products/products-section.tsx'
import type { SectionProps } from './campaign-form.ts'
import { errorUnder } from './values/campaign-problems.ts'
import type { TargetingValues } from './values/campaign-values.ts'

/** What the campaign shows, by its kind. */
export function ContentSections({ formats, ...props }: SectionProps & { formats: readonly AdFormat[] | undefined }) {
  if (props.form.values.kind === 'SPONSORED') {
    return (
      <>
        <ProductsSection {...props} />
        <AttributionSection {...props} />
      </>
    )
  }
  return (
    <>
      <DestinationSection {...props} />
      <BannersSection {...props} formats={formats} />
      <TargetingSection {...props} />
      <AttributionSection {...props} />
    </>
  )
}

/** Where banners are shown, and where they lead. */
function DestinationSection({ form }: SectionProps) {
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

const lists: { name: keyof TargetingValues; label: string; description: string }[] = [
  { name: 'phrases', label: 'Search phrases', description: 'What is sought holds all the words of any of these' },
  { name: 'categoryPaths', label: 'Categories', description: 'The page is in or below any of these: Home > Lamps' },
  { name: 'brands', label: 'Brands', description: 'The page is about any of these' },
  { name: 'productIds', label: 'Product ids', description: 'The page is about any of these products' },
  { name: 'profiles', label: 'Profiles', description: 'The shopper has any of these' },
  { name: 'refererPatterns', label: 'Pages', description: 'URLs or paths, where * stands for any text: */lamps/*' },
]

/** On which pages and to whom banners are shown. */
function TargetingSection({ form }: SectionProps) {
  return (
    <FormSection
      title="Targeting"
      description="An ad unit looks at the lists that fit its page. An empty list does not restrict."
    >
      {lists.map(({ name, label, description }) => (
        <TagsInput
          key={name}
          label={label}
          description={`${description}. Enter adds one`}
          maxTags={1_000}
          splitChars={name === 'categoryPaths' ? ['\n'] : [',', '\n']}
          {...form.getInputProps(`targeting.${name}`)}
          error={errorUnder(form.errors, `targeting.${name}`)}
        />
      ))}
    </FormSection>
  )
}
