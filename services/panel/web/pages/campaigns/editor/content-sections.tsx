import { Select, TagsInput, TextInput } from '@mantine/core'
import type { AdFormat } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { t } from '../../../messages/pages/campaign-editor.ts'
import { countryChoices } from '../countries.ts'
import { AttributionSection, ProductsSection } from '../products/products-section.tsx'
import type { SectionProps } from './campaign-form.ts'
import { errorUnder } from './values/campaign-problems.ts'
import type { TargetingValues } from './values/campaign-values.ts'

/** Only display campaigns need what reads and crops pictures. */
const loadBanners = () => import('../banners/banners-section.tsx')
const BANNERS_HEIGHT = 240

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
      <LazyPart load={loadBanners} props={{ ...props, formats }} height={BANNERS_HEIGHT} />
      <TargetingSection {...props} />
      <AttributionSection {...props} />
    </>
  )
}

/** Where banners are shown, and where they lead. */
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

export const targetingLists: { name: keyof TargetingValues; label: string; description: string }[] = [
  { name: 'phrases', label: t('phrases'), description: t('phrasesHelp') },
  { name: 'categoryPaths', label: t('categoryPaths'), description: t('categoryPathsHelp') },
  { name: 'brands', label: t('brands'), description: t('brandsHelp') },
  { name: 'productIds', label: t('productIds'), description: t('productIdsHelp') },
  { name: 'profiles', label: t('profiles'), description: t('profilesHelp') },
  { name: 'refererPatterns', label: t('refererPatterns'), description: t('refererPatternsHelp') },
]

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
