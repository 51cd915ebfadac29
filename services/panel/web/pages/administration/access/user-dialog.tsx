import { Group, PasswordInput, SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Account, PasswordLink, Role, User } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration.ts'
import { passwordHint, passwordProblem } from '../../../session/password-rules.ts'
import { useSession } from '../../../session/session.ts'
import { useAccountChoices } from '../accounts/use-accounts.ts'
import { MadePasswordLink, PasswordLinkButton } from './password-link.tsx'

export interface UserDialogProps {
  /** Undefined for a new user. */
  user: User | undefined
  /** The account of a new user. By default an operator chooses one; for others it is their own. */
  account: Account | undefined
  close: () => void
}

interface UserValues extends UserAccount {
  name: string
  email: string
  way: 'INVITE' | 'PASSWORD'
  password: string
  isActive: boolean
}

/** Makes a user, by invitation or with a password, or changes a user's name, password and state. */
export function UserDialog({ user, account, close }: UserDialogProps) {
  const me = useSession()
  const own = account ?? me.account
  const choosesAccount = !user && !account && me.user.role === 'OPERATOR'
  const isOneself = user?.id === me.user.id
  const [link, setLink] = useState<PasswordLink | null>(null)
  const form = useForm<UserValues>({
    initialValues: {
      name: user?.name ?? '',
      email: user?.email ?? '',
      way: 'INVITE',
      password: '',
      isActive: user?.disabledAt == null,
      role: own?.kind ?? null,
      accountId: own?.id ?? null,
    },
    validate: {
      password: (value, { way }) => ((user ? value === '' : way === 'INVITE') ? null : passwordProblem(value)),
      role: (role) => (user || role !== null ? null : t('chooseRole')),
    },
  })
  const { submit, isSaving } = useSave({
    save: (values: UserValues): Promise<User & { passwordLink?: PasswordLink }> =>
      user ? change(user, values) : create(values),
    changes: ['/v1/panel/users', '/v1/panel/session'],
    form,
    saved: user ? t('userSaved') : t('userCreated'),
    onSaved(saved) {
      if (saved.passwordLink) setLink(saved.passwordLink)
      else close()
    },
  })
  if (link) return <MadePasswordLink link={link} name={form.values.name} close={close} />
  const setsPassword = user ? !isOneself : form.values.way === 'PASSWORD'
  return (
    <Dialog opened onClose={close} title={user ? t('editWhom', { name: user.name }) : t('newUser')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput label={t('name')} required maxLength={200} data-autofocus {...form.getInputProps('name')} />
          <TextInput
            label={t('email')}
            type="email"
            required
            disabled={user !== undefined}
            {...form.getInputProps('email')}
          />
          {choosesAccount && <AccountOfUser form={form} />}
          {!user && (
            <SegmentedControl
              aria-label={t('wayToPassword')}
              data={[
                { value: 'INVITE', label: t('sendInvitation') },
                { value: 'PASSWORD', label: t('setPassword') },
              ]}
              {...form.getInputProps('way')}
            />
          )}
          {!user && form.values.way === 'INVITE' && (
            <Text size="sm" c="dimmed">
              {t('invitationHelp')}
            </Text>
          )}
          {setsPassword && (
            <PasswordInput
              label={user ? t('newPassword') : t('password')}
              description={user ? t('newPasswordHelp') : passwordHint}
              autoComplete="new-password"
              required={!user}
              {...form.getInputProps('password')}
            />
          )}
          {user && !isOneself && (
            <Switch
              label={t('maySignIn')}
              description={t('maySignInHelp')}
              {...form.getInputProps('isActive', { type: 'checkbox' })}
            />
          )}
          {user && !isOneself && <PasswordLinkButton user={user} made={setLink} />}
          {user?.hasSecondFactor && !isOneself && me.user.role === 'OPERATOR' && (
            <RemoveSecondFactor user={user} done={close} />
          )}
          <Group justify="space-between">
            <div>{user && !isOneself && <DeleteUser user={user} done={close} />}</div>
            <DialogActions label={user ? t('save') : t('createUser')} isSaving={isSaving} close={close} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function DeleteUser({ user, done }: { user: User; done: () => void }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/users/{id}', { params: { path: { id: user.id } } })),
    changes: ['/v1/panel/users'],
    saved: t('userDeleted'),
    onSaved: done,
  })
  return (
    <DeleteButton
      what={t('user')}
      name={user.name}
      message={t('deleteUserHelp')}
      onConfirm={() => submit(undefined)}
      path="/v1/panel/users/{id}/deletion"
      id={user.id}
    />
  )
}

function create({ name, email, way, password, role, accountId }: UserValues) {
  const body = { name, email, role: role as Role, accountId, ...(way === 'PASSWORD' && { password }) }
  return answer(client.POST('/v1/panel/users', { body }))
}

function change(user: User, { name, password, isActive }: UserValues) {
  const body = {
    name,
    ...(password === '' ? {} : { password }),
    ...(isActive === (user.disabledAt === null) ? {} : { disabled: !isActive }),
  }
  return answer(client.PATCH('/v1/panel/users/{id}', { params: { path: { id: user.id } }, body }))
}

/** Turns off two-step sign-in for a user who has lost the authenticator app and the recovery codes. */
function RemoveSecondFactor({ user, done }: { user: User; done: () => void }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/users/{id}/second-factor', { params: { path: { id: user.id } } })),
    changes: ['/v1/panel/users'],
    saved: t('twoStepOff'),
    onSaved: done,
  })
  return (
    <ConfirmButton
      title={t('turnOffTwoStepOf', { name: user.name })}
      message={t('turnOffTwoStepHelp')}
      confirm={t('turnOff')}
      onConfirm={() => submit(undefined)}
    >
      {t('turnOffTwoStep')}
    </ConfirmButton>
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
