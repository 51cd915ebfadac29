import { Alert, Button, Checkbox, Group, Select, type SelectProps, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { DAY_MS } from '../../../../../../schemas/durations.ts'
import { answer, client } from '../../../client/client.ts'
import type { Account, Token } from '../../../client/types.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration.ts'
import { useSession } from '../../../session/session.ts'
import { useAccountChoices } from '../accounts/use-accounts.ts'

const scopes: readonly { value: Token['scopes'][number]; label: string; description: string }[] = [
  { value: 'panel', label: 'panel', description: t('scopePanel') },
  { value: 'slots', label: 'slots', description: t('scopeSlots') },
  { value: 'feed', label: 'feed', description: t('scopeFeed') },
  { value: 'import', label: 'import', description: t('scopeImport') },
  { value: 'events', label: 'events', description: t('scopeEvents') },
]

const lifetimes = [
  { value: '30', label: t('days', { count: 30 }) },
  { value: '90', label: t('days', { count: 90 }) },
  { value: '365', label: t('oneYear') },
  { value: '', label: t('neverExpires') },
]

interface TokenValues {
  accountId: string | null
  name: string
  scopes: Token['scopes']
  /** Days; '' for a token that never expires. */
  lifetime: string
}

/** Makes a token and shows it once. */
export function TokenDialog({ account, close }: { account: Account | undefined; close: () => void }) {
  const me = useSession()
  const own = account ?? me.account
  const choosesAccount = !account && me.user.role === 'OPERATOR'
  const [made, setMade] = useState<string | null>(null)
  const form = useForm<TokenValues>({
    initialValues: { accountId: own?.id ?? null, name: '', scopes: ['panel'], lifetime: '365' },
    validate: {
      accountId: (id) => (id === null ? t('required') : null),
      scopes: (chosen) => (chosen.length === 0 ? t('chooseOne') : null),
    },
  })
  const { submit, isSaving } = useSave({
    save: ({ accountId, name, scopes, lifetime }: TokenValues) => {
      const expiresAt = lifetime === '' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString()
      return answer(client.POST('/v1/panel/tokens', { body: { accountId: accountId!, name, scopes, expiresAt } }))
    },
    changes: ['/v1/panel/tokens'],
    form,
    onSaved: ({ token }) => setMade(token ?? null),
  })
  if (made !== null) return <MadeToken token={made} close={close} />
  return (
    <Dialog opened onClose={close} title={t('newToken')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          {choosesAccount && <AccountChoice required {...form.getInputProps('accountId')} />}
          <TextInput
            label={t('name')}
            description={t('tokenNameHelp')}
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox.Group label={t('scopes')} required {...form.getInputProps('scopes')}>
            <Stack gap="xs" mt="xs">
              {scopes.map((scope) => (
                <Checkbox key={scope.value} {...scope} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Select label={t('expires')} allowDeselect={false} data={lifetimes} {...form.getInputProps('lifetime')} />
          <DialogActions label={t('createToken')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}

function MadeToken({ token, close }: { token: string; close: () => void }) {
  return (
    <Dialog opened onClose={close} title={t('token')} closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Alert color="yellow" variant="light">
          {t('tokenHelp')}
        </Alert>
        <CopyField value={token} label={t('token')} />
        <Group justify="flex-end">
          <Button onClick={close}>{t('copiedIt')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** A field to choose any of the accounts. */
function AccountChoice(props: SelectProps) {
  const { choices } = useAccountChoices()
  return <Select label={t('account')} data={choices} searchable allowDeselect={false} {...props} />
}
