import { TagsInput } from '@mantine/core'
import { FormSection } from '../../../components/form/form-section.tsx'
import type { SectionProps } from './campaign-form.ts'
import { errorUnder } from './values/campaign-problems.ts'
import type { Targeting } from './values/campaign-values.ts'

const lists: { name: keyof Targeting; label: string; description: string }[] = [
  { name: 'phrases', label: 'Search phrases', description: 'What is sought holds all the words of any of these' },
  { name: 'categoryPaths', label: 'Categories', description: 'The page is in or below any of these: Home > Lamps' },
  { name: 'brands', label: 'Brands', description: 'The page is about any of these' },
  { name: 'productIds', label: 'Product ids', description: 'The page is about any of these products' },
  { name: 'profiles', label: 'Profiles', description: 'The shopper has any of these' },
  { name: 'refererPatterns', label: 'Pages', description: 'URLs or paths, where * stands for any text: */lamps/*' },
]

/** On which pages and to whom banners are shown. */
export function TargetingSection({ form }: SectionProps) {
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
