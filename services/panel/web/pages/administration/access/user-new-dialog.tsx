import { PasswordInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Account, PasswordLink, Role, User } from '../../../client/types.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration.ts'
import { passwordHint, passwordProblem } from '../../../session/password-rules.ts'
import { useSession } from '../../../session/session.ts'
import { useAccountChoices } from '../accounts/use-accounts.ts'
import { MadePasswordLink } from './password-link.tsx'

export interface UserNewDialogProps {
  /** The account of the user. By default an operator chooses one; for others it is their own. */
  account: Account | undefined
  close: () => void
}

interface UserValues extends UserAccount {
  name: string
  email: string
  way: 'INVITE' | 'PASSWORD'
  password: string
}

/** Makes a user by invitation. Operators may set a password instead. */
export function UserNewDialog({ account, close }: UserNewDialogProps) {
  const me = useSession()
  const own = account ?? me.account
  const isOperator = me.user.role === 'OPERATOR'
  const choosesAccount = !account && isOperator
  const [link, setLink] = useState<PasswordLink | null>(null)
  const isMailed = useEntity('/v1/panel/session/options').data?.forgottenPassword === true
  const form = useForm<UserValues>({
    initialValues: {
      name: '',
      email: '',
      way: 'INVITE',
      password: '',
      role: own?.kind ?? null,
      accountId: own?.id ?? null,
    },
    validate: {
      password: (value, { way }) => (way === 'INVITE' ? null : passwordProblem(value)),
      role: (role) => (role === null ? t('chooseRole') : null),
    },
  })
  const { submit, isSaving } = useSave({
    save({ name, email, way, password, role, accountId }: UserValues): Promise<User & { passwordLink?: PasswordLink }> {
      const body = { name, email, role: role as Role, accountId, ...(way === 'PASSWORD' && { password }) }
      return answer(client.POST('/v1/panel/users', { body }))
    },
    changes: ['/v1/panel/users'],
    form,
    saved: t('userCreated'),
    onSaved({ passwordLink }) {
      if (passwordLink) setLink(passwordLink)
      else close()
    },
  })
  if (link) return <MadePasswordLink link={link} name={form.values.name} close={close} />
  return (
    <Dialog opened onClose={close} title={t('newUser')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput label={t('name')} required maxLength={200} data-autofocus {...form.getInputProps('name')} />
          <TextInput label={t('email')} type="email" required {...form.getInputProps('email')} />
          {choosesAccount && <AccountOfUser form={form} />}
          {isOperator && (
            <SegmentedControl
              aria-label={t('wayToPassword')}
              data={[
                { value: 'INVITE', label: isMailed ? t('sendInvitation') : t('makeInvitationLink') },
                { value: 'PASSWORD', label: t('setPassword') },
              ]}
              {...form.getInputProps('way')}
            />
          )}
          {form.values.way === 'INVITE' ? (
            <Text size="sm" c="dimmed">
              {isMailed ? t('invitationMailedHelp') : t('invitationHelp')}
            </Text>
          ) : (
            <PasswordInput
              label={t('password')}
              description={passwordHint}
              autoComplete="new-password"
              required
              {...form.getInputProps('password')}
            />
          )}
          <DialogActions label={t('createUser')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** A user has the role of their account; operators have no account. */
interface UserAccount {
  /** Null until it is chosen. */
  role: User['role'] | null
  accountId: User['accountId']
}

/** The choice of an operator's role, without an account. Its value is not '', which a Select takes for an empty field. */
const NONE = { value: 'none', label: t('operatorHere') }

/** The account that a new user acts for, chosen by an operator. */
function AccountOfUser<T extends UserAccount>({ form }: { form: UseFormReturnType<T> }) {
  const { accounts, choices } = useAccountChoices()
  const choose = (id: string | null) => {
    const account = accounts.find((each) => each.id === id)
    const role = account?.kind ?? (id === NONE.value ? 'OPERATOR' : null)
    form.setValues({ role, accountId: account?.id ?? null } as Partial<T>)
  }
  return (
    <Select
      label={t('account')}
      description={t('accountHelp')}
      data={[NONE, ...choices]}
      searchable
      allowDeselect={false}
      placeholder={t('choose')}
      required
      value={form.values.accountId ?? (form.values.role === 'OPERATOR' ? NONE.value : null)}
      onChange={choose}
      error={form.errors.accountId ?? form.errors.role}
    />
  )
}
