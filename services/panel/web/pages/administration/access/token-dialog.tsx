import { Alert, Button, Checkbox, Group, Modal, Select, type SelectProps, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Account, Token } from '../../../client/types.ts'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { useSave } from '../../../data/use-save.ts'
import { useSession } from '../../../session/session.ts'
import { useAccountChoices } from '../accounts/use-accounts.ts'

const DAY_MS = 86_400_000

const scopes: readonly { value: Token['scopes'][number]; label: string; description: string }[] = [
  { value: 'panel', label: 'panel', description: 'Everything of this panel, by the management API' },
  { value: 'slots', label: 'slots', description: 'Technical ad units of the shop’s system' },
  { value: 'feed', label: 'feed', description: 'Product updates between feeds' },
  { value: 'import', label: 'import', description: 'Past transactions' },
  { value: 'events', label: 'events', description: 'Events of the shop’s server: they go before what browsers send' },
]

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never expires' },
]

interface TokenValues {
  accountId: string | null
  name: string
  scopes: Token['scopes']
  /** Days; empty means that it never expires. */
  lifetime: string
}

/** Makes a token and shows it, only once. */
export function TokenDialog({ account, close }: { account: Account | undefined; close: () => void }) {
  const me = useSession()
  const own = account ?? me.account
  const [made, setMade] = useState<string | null>(null)
  const form = useForm<TokenValues>({
    initialValues: { accountId: own?.id ?? null, name: '', scopes: ['panel'], lifetime: '365' },
    validate: {
      accountId: (id) => (id === null ? 'Needed' : null),
      scopes: (chosen) => (chosen.length === 0 ? 'Choose at least one' : null),
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
    <Modal opened onClose={close} title="New token">
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          {!own && <AccountChoice required {...form.getInputProps('accountId')} />}
          <TextInput
            label="Name"
            description="What it is for, so that you know later which to revoke"
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox.Group label="Scopes" required {...form.getInputProps('scopes')}>
            <Stack gap="xs" mt="xs">
              {scopes.map((scope) => (
                <Checkbox key={scope.value} {...scope} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Select label="Expires" allowDeselect={false} data={lifetimes} {...form.getInputProps('lifetime')} />
          <DialogActions label="Create token" isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Modal>
  )
}

function MadeToken({ token, close }: { token: string; close: () => void }) {
  return (
    <Modal opened onClose={close} title="The token" closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Alert color="yellow" variant="light">
          Copy it now: it is shown this once, and only its hash is kept.
        </Alert>
        <CopyField value={token} label="Token" />
        <Group justify="flex-end">
          <Button onClick={close}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** A field for one of all accounts. */
function AccountChoice(props: SelectProps) {
  const { choices } = useAccountChoices()
  return <Select label="Account" data={choices} searchable allowDeselect={false} {...props} />
}
