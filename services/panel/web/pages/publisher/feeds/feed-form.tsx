import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Feed, Shop } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'

export type FeedValues = Record<'name' | 'url' | 'username' | 'password' | 'currency' | 'lang', string>

/** The form of a feed, for useSave and the page. */
export function useFeedForm({ feed, shop }: { feed?: Feed; shop?: Shop }) {
  return useForm<FeedValues>({
    initialValues: {
      name: feed?.name ?? '',
      url: feed?.url ?? '',
      username: feed?.username ?? '',
      password: '',
      currency: feed?.currency ?? shop?.currency ?? '',
      lang: feed?.lang ?? '',
    },
    validate: { name: (name) => (name.trim() === '' ? 'Needed' : null) },
  })
}

/** The body for the API: an empty address or language becomes null; an empty password keeps the current one. */
export const feedBody = ({ name, url, username, password, lang }: FeedValues) => ({
  name,
  url: url.trim() || null,
  username: username.trim() || null,
  ...(username.trim() === '' ? { password: null } : password !== '' && { password }),
  lang: lang.trim().toLowerCase() || null,
})

export interface FeedFormProps {
  form: ReturnType<typeof useFeedForm>
  isNew: boolean
  /** Whether a password is set already. */
  hasPassword?: boolean
  isSaving: boolean
  onSubmit: (values: FeedValues) => void
  /** The delete button. */
  children?: ReactNode
}

export function FeedForm({ form, isNew, hasPassword = false, isSaving, onSubmit, children }: FeedFormProps) {
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
        <TextInput
          label="User name"
          description="Where the address asks for one (HTTP Basic)"
          autoComplete="off"
          maxLength={200}
          maw={320}
          {...form.getInputProps('username')}
        />
        {form.values.username.trim() !== '' && (
          <PasswordInput
            label="Password"
            description={hasPassword ? 'Set, and never shown. Empty: it stays' : 'Never shown again'}
            autoComplete="new-password"
            maxLength={1_000}
            maw={320}
            {...form.getInputProps('password')}
          />
        )}
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
