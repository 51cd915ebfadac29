import { Alert, PasswordInput, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import {
  FEED_PASSWORD_CHARS_MAX,
  FEED_USERNAME_CHARS_MAX,
  NAME_CHARS_MAX,
  URL_CHARS_MAX,
} from '../../../../../../schemas/http/panel/limits.ts'
import { sharesPassword } from '../../../../../domain/identity/feed-address.ts'
import type { Feed, Shop } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import type { ClashState } from '../../../data/changes/use-change.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'

export type FeedValues = Record<'name' | 'url' | 'username' | 'password' | 'currency' | 'lang', string>

/** The form of a feed, for useSave and the page. */
export const useFeedForm = (initialValues: FeedValues) =>
  useForm<FeedValues>({ initialValues, validate: { name: isGiven, currency: isGiven } })

export const valuesOf = ({ name, url, username, currency, lang }: Feed): FeedValues => ({
  name,
  url: url ?? '',
  username: username ?? '',
  password: '',
  currency,
  lang: lang ?? '',
})

export const newFeedOf = ({ currency }: Shop): FeedValues => ({
  name: '',
  url: '',
  username: '',
  password: '',
  currency,
  lang: '',
})

const isGiven = (text: string) => (text.trim() === '' ? t('required') : null)

/** The body for the API: an empty address or language becomes null; an empty password keeps the current one. */
export const feedBody = ({ name, url, username, password, currency, lang }: FeedValues) => ({
  name,
  url: url.trim() || null,
  ...(signsIn({ url, username })
    ? { username: username.trim(), ...(password !== '' && { password }) }
    : { username: null, password: null }),
  currency,
  lang: lang || null,
})

/** Whether the feed is fetched with a user name. */
const signsIn = ({ url, username }: Pick<FeedValues, 'url' | 'username'>) => url.trim() !== '' && username.trim() !== ''

/** Whether the API wants the password again. */
const needsPassword = (feed: Feed | null, url: string) =>
  feed?.hasPassword === true && !sharesPassword(url.trim(), feed.url)

const named = (type: 'currency' | 'language', code: string) =>
  new Intl.DisplayNames(undefined, { type }).of(code) ?? code

/** Currencies by code and name, for a Select that is searched by either. */
const currencyChoices = () =>
  Intl.supportedValuesOf('currency').map((code) => ({ value: code, label: `${code} · ${named('currency', code)}` }))

/** Two-letter codes of ISO 639-1. The form adds the feed's current language, which may be any that the API accepts. */
const LANGUAGES =
  'ar bg bn bs ca cs da de el en es et eu fa fi fr gl he hi hr hu id is it ja ka kk ko lt lv mk ms nb nl pl pt ro ru sk sl sq sr sv th tr uk ur uz vi zh'

const languageChoices = (present: string) =>
  [...new Set([...LANGUAGES.split(' '), present].filter(Boolean))]
    .map((code) => ({ value: code, label: `${named('language', code)} (${code})` }))
    .sort((a, b) => a.label.localeCompare(b.label))

export interface FeedFormProps {
  form: ReturnType<typeof useFeedForm>
  /** Null for a new feed. */
  feed: Feed | null
  isSaving: boolean
  /** None for a new feed. */
  clashes?: ClashState
  onSubmit: (values: FeedValues) => void
  /** The delete button. */
  children?: ReactNode
}

export function FeedForm({ form, feed, isSaving, clashes, onSubmit, children }: FeedFormProps) {
  const { currency, url } = form.values
  const asksAgain = needsPassword(feed, url)
  const willBeRead = url.trim() !== '' || feed?.canBeRead
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title={t('formFeed')} description={t('formFeedHelp')}>
        <TextInput label={t('name')} required maxLength={NAME_CHARS_MAX} {...form.getInputProps('name')} />
        <TextInput
          label={t('address')}
          description={t('addressHelp')}
          type="url"
          placeholder={t('addressExample')}
          maxLength={URL_CHARS_MAX}
          {...form.getInputProps('url')}
        />
        {url.trim() !== '' && (
          <TextInput
            label={t('userName')}
            description={t('userNameHelp')}
            autoComplete="off"
            maxLength={FEED_USERNAME_CHARS_MAX}
            maw={320}
            {...form.getInputProps('username')}
          />
        )}
        {signsIn(form.values) && (
          <PasswordInput
            label={t('password')}
            description={asksAgain ? t('passwordAgain') : feed?.hasPassword ? t('passwordSet') : t('passwordNew')}
            required={asksAgain}
            autoComplete="new-password"
            maxLength={FEED_PASSWORD_CHARS_MAX}
            maw={320}
            {...form.getInputProps('password')}
          />
        )}
      </FormSection>
      <FormSection title={t('contents')} description={t('contentsHelp')}>
        <Select
          label={t('currency')}
          description={t('currencyHelp')}
          required
          searchable
          maw={320}
          data={currencyChoices()}
          {...form.getInputProps('currency')}
          onChange={(value) => value && form.setFieldValue('currency', value)}
        />
        {feed && currency !== feed.currency && (
          <Alert color="blue" role="status">
            {willBeRead ? t('currencyRereads', { currency }) : t('currencyNeedsUpload')}
          </Alert>
        )}
        <Select
          label={t('language')}
          description={t('languageHelp')}
          placeholder={t('anyLanguage')}
          searchable
          clearable
          maw={320}
          data={languageChoices(form.values.lang)}
          value={form.values.lang || null}
          error={form.errors.lang}
          onChange={(value) => form.setFieldValue('lang', value ?? '')}
        />
      </FormSection>
      <FormActions
        label={feed ? t('save') : t('createFeed')}
        isSaving={isSaving}
        hasChanges={form.isDirty}
        clashes={clashes}
        {...(!feed && { cancelTo: '/feeds' })}
      >
        {children}
      </FormActions>
    </form>
  )
}
