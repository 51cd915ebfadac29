import { Group, Modal, PasswordInput, SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Account, PasswordLink, Role, User } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useSave } from '../../../data/use-save.ts'
import { passwordHint, passwordProblem } from '../../../session/password-rules.ts'
import { useSession } from '../../../session/session.ts'
import { useAccountChoices } from '../accounts/use-accounts.ts'
import { MadePasswordLink, PasswordLinkButton } from './password-link.tsx'

export interface UserDialogProps {
  /** Undefined for a new one. */
  user: User | undefined
  /** The account of a new user. Default: the viewer's own account; an operator chooses one. */
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
      role: (role) => (user || role !== null ? null : 'Choose what the user may do'),
    },
  })
  const { submit, isSaving } = useSave({
    save: (values: UserValues): Promise<User & { passwordLink?: PasswordLink }> =>
      user ? change(user, values) : create(values),
    changes: ['/v1/panel/users', '/v1/panel/session'],
    form,
    saved: user ? 'User saved' : 'User created',
    onSaved(saved) {
      if (saved.passwordLink) setLink(saved.passwordLink)
      else close()
    },
  })
  if (link) return <MadePasswordLink link={link} name={form.values.name} close={close} />
  const setsPassword = user ? !isOneself : form.values.way === 'PASSWORD'
  return (
    <Modal opened onClose={close} title={user ? `Edit ${user.name}` : 'New user'}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput label="Name" required maxLength={200} data-autofocus {...form.getInputProps('name')} />
          <TextInput
            label="E-mail"
            type="email"
            required
            disabled={user !== undefined}
            {...form.getInputProps('email')}
          />
          {!user && !own && <AccountOfUser form={form} />}
          {!user && (
            <SegmentedControl
              aria-label="How the user gets a password"
              data={[
                { value: 'INVITE', label: 'Send an invitation' },
                { value: 'PASSWORD', label: 'Set a password' },
              ]}
              {...form.getInputProps('way')}
            />
          )}
          {!user && form.values.way === 'INVITE' && (
            <Text size="sm" c="dimmed">
              The user chooses a password by a link, which works once and for seven days. You see it next.
            </Text>
          )}
          {setsPassword && (
            <PasswordInput
              label={user ? 'New password' : 'Password'}
              description={user ? 'Empty: it stays. Setting it ends the user’s sessions' : passwordHint}
              autoComplete="new-password"
              required={!user}
              {...form.getInputProps('password')}
            />
          )}
          {user && !isOneself && (
            <Switch
              label="May sign in"
              description="Off ends the user’s sessions at once"
              {...form.getInputProps('isActive', { type: 'checkbox' })}
            />
          )}
          {user && !isOneself && <PasswordLinkButton user={user} made={setLink} />}
          {user?.hasSecondFactor && !isOneself && me.user.role === 'OPERATOR' && (
            <RemoveSecondFactor user={user} done={close} />
          )}
          <Group justify="space-between">
            <div>{user && !isOneself && <DeleteUser user={user} done={close} />}</div>
            <DialogActions label={user ? 'Save' : 'Create user'} isSaving={isSaving} close={close} />
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function DeleteUser({ user, done }: { user: User; done: () => void }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/users/{id}', { params: { path: { id: user.id } } })),
    changes: ['/v1/panel/users'],
    saved: 'User deleted',
    onSaved: done,
  })
  return (
    <DeleteButton
      what="user"
      name={user.name}
      message="The user is signed out at once, and the tokens of this user end. History keeps the name."
      onConfirm={() => submit(undefined)}
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
    saved: 'Two-step sign-in is off',
    onSaved: done,
  })
  return (
    <ConfirmButton
      title={`Turn off two-step sign-in of ${user.name}?`}
      message="The password alone lets the user in then. Be sure that it is the user who asks for it. All sessions of the user end."
      confirm="Turn off"
      onConfirm={() => submit(undefined)}
    >
      Turn off two-step sign-in
    </ConfirmButton>
  )
}

/** A user has the role of their account. Operators have no account. */
interface UserAccount {
  /** Null until it is chosen. */
  role: User['role'] | null
  accountId: User['accountId']
}

/** The choice of operators, who act for no account. Not '', which a Select takes for an empty field. */
const NONE = { value: 'none', label: 'Operator of this installation' }

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
      label="Account"
      description="Decides what the user sees and may do"
      data={[NONE, ...choices]}
      searchable
      allowDeselect={false}
      placeholder="Choose"
      required
      value={form.values.accountId ?? (form.values.role === 'OPERATOR' ? NONE.value : null)}
      onChange={choose}
      error={form.errors.accountId ?? form.errors.role}
    />
  )
}
