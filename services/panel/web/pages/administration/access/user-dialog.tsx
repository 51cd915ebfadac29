import { Group, Modal, PasswordInput, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Account, PasswordLink, Role, User } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useSave } from '../../../data/use-save.ts'
import { PASSWORD_HINT, passwordProblem } from '../../../session/password-rules.ts'
import { useSession } from '../../../session/session.ts'
import { AccountOfUser, type UserAccount } from './account-of-user.tsx'
import { MadePasswordLink, PasswordLinkButton } from './password-link.tsx'
import { RemoveSecondFactor } from './remove-second-factor.tsx'

export interface UserDialogProps {
  /** Undefined: a new one. */
  user: User | undefined
  /** The account of a new user; without it, that of the one who makes it, or one that an operator chooses. */
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

/** Makes a user, by invitation or with a password, or changes the name, password and state of one. */
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
              description={user ? 'Empty: it stays. Setting it ends the user’s sessions' : PASSWORD_HINT}
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
