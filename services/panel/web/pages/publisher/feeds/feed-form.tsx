import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Feed, Shop } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form-section.tsx'

export type FeedValues = Record<'name' | 'url' | 'currency' | 'lang', string>

/** The form of a feed, for useSave and the page. */
export function useFeedForm({ feed, shop }: { feed?: Feed; shop?: Shop }) {
  return useForm<FeedValues>({
    initialValues: {
      name: feed?.name ?? '',
      url: feed?.url ?? '',
      currency: feed?.currency ?? shop?.currency ?? '',
      lang: feed?.lang ?? '',
    },
    validate: { name: (name) => (name.trim() === '' ? 'Needed' : null) },
  })
}

/** What the API takes for it: an empty address or language is null. */
export const feedBody = ({ name, url, lang }: FeedValues) => ({
  name,
  url: url.trim() || null,
  lang: lang.trim().toLowerCase() || null,
})

export interface FeedFormProps {
  form: ReturnType<typeof useFeedForm>
  isNew: boolean
  isSaving: boolean
  onSubmit: (values: FeedValues) => void
  /** A button that deletes. */
  children?: ReactNode
}

export function FeedForm({ form, isNew, isSaving, onSubmit, children }: FeedFormProps) {
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection
        title="Feed"
        description="RSS 2.0 or Atom as for Google Merchant Center, or plain XML; also packed by gzip."
      >
        <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
        <TextInput
          label="Address"
          description="Fetched at once and then every hour. Without one, the feed is filled by uploads and the API"
          type="url"
          placeholder="https://shop.example/feed.xml"
          maxLength={2_000}
          {...form.getInputProps('url')}
        />
      </FormSection>
      <FormSection title="Contents" description="What the file does not say of itself.">
        <TextInput
          label="Currency"
          description={isNew ? 'What its prices are in. Cannot be changed later' : 'Cannot be changed'}
          disabled={!isNew}
          maxLength={3}
          maw={320}
          {...form.getInputProps('currency')}
          onChange={({ currentTarget: { value } }) => form.setFieldValue('currency', value.toUpperCase())}
        />
        <TextInput
          label="Language"
          description="Of its texts, as in “de”; empty: any. Ad requests may ask for one"
          maxLength={3}
          maw={320}
          {...form.getInputProps('lang')}
        />
      </FormSection>
      <FormActions
        label={isNew ? 'Create feed' : 'Save'}
        isSaving={isSaving}
        hasChanges={form.isDirty}
        {...(isNew && { cancelTo: '/feeds' })}
      >
        {children}
      </FormActions>
    </form>
  )
}
