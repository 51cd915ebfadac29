import { Group, Modal, PasswordInput, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, client } from '../../client/client.ts'
import type { Account, User } from '../../client/types.ts'
import { DeleteButton } from '../../components/delete-button.tsx'
import { useSave } from '../../data/use-save.ts'
import { useSession } from '../../session/session.ts'
import { AccountOfUser, type UserAccount } from './account-of-user.tsx'
import { DialogActions } from './dialog-actions.tsx'

const PASSWORD_CHARS_MIN = 10

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
  password: string
  isActive: boolean
}

/** Makes a user, or changes the name, password and state of one. */
export function UserDialog({ user, account, close }: UserDialogProps) {
  const me = useSession()
  const own = account ?? me.account
  const isOneself = user?.id === me.user.id
  const form = useForm<UserValues>({
    initialValues: {
      name: user?.name ?? '',
      email: user?.email ?? '',
      password: '',
      isActive: user?.disabledAt == null,
      role: own?.kind ?? 'OPERATOR',
      accountId: own?.id ?? null,
    },
    validate: { password: (value) => (value === '' && user ? null : lengthProblem(value)) },
  })
  const { submit, isSaving } = useSave({
    save: (values: UserValues) => (user ? change(user, values) : create(values)),
    changes: ['/v1/panel/users', '/v1/panel/session'],
    form,
    saved: user ? 'User saved' : 'User created',
    onSaved: close,
  })
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
          {!isOneself && (
            <PasswordInput
              label={user ? 'New password' : 'Password'}
              description={user ? 'Empty: it stays. Setting it ends the user’s sessions' : 'At least 10 characters'}
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
      message="The user is signed out at once. History keeps the name."
      onConfirm={() => submit(undefined)}
    />
  )
}

const create = ({ name, email, password, role, accountId }: UserValues) =>
  answer(client.POST('/v1/panel/users', { body: { name, email, password, role, accountId } }))

function change(user: User, { name, password, isActive }: UserValues) {
  const body = {
    name,
    ...(password === '' ? {} : { password }),
    ...(isActive === (user.disabledAt === null) ? {} : { disabled: !isActive }),
  }
  return answer(client.PATCH('/v1/panel/users/{id}', { params: { path: { id: user.id } }, body }))
}

const lengthProblem = (password: string) =>
  password.length < PASSWORD_CHARS_MIN ? `At least ${PASSWORD_CHARS_MIN} characters` : null
