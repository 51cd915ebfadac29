import { Group, PasswordInput, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client, ifMatch } from '../../../client/client.ts'
import type { PasswordLink, User } from '../../../client/types.ts'
import { Clashes } from '../../../components/form/clashes/clashes.tsx'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useChange } from '../../../data/changes/use-change.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration.ts'
import { passwordProblem } from '../../../session/password-rules.ts'
import { useSession } from '../../../session/session.ts'
import { MadePasswordLink, PasswordLinkButton } from './password-link.tsx'

export interface UserEditDialogProps {
  user: User
  close: () => void
}

interface UserValues {
  name: string
  password: string
  isActive: boolean
}

const valuesOf = ({ name, disabledAt }: User): UserValues => ({ name, password: '', isActive: disabledAt === null })

/** Changes a user's name and state, or deletes the user. Operators set the password, too. */
export function UserEditDialog({ user, close }: UserEditDialogProps) {
  const me = useSession()
  const isOneself = user.id === me.user.id
  const isOperator = me.user.role === 'OPERATOR'
  const [link, setLink] = useState<PasswordLink | null>(null)
  const form = useForm<UserValues>({
    initialValues: valuesOf(user),
    validate: { password: (value) => (value === '' ? null : passwordProblem(value)) },
  })
  const change = useChange({
    form,
    path: '/v1/panel/users/{id}',
    entity: user,
    valuesOf,
    send({ changed: { isActive, ...fields }, header }) {
      const body = { ...fields, ...(isActive === undefined ? {} : { disabled: !isActive }) }
      return answer(client.PATCH('/v1/panel/users/{id}', { params: { path: { id: user.id }, header }, body }))
    },
    changes: ['/v1/panel/users', '/v1/panel/session'],
    saved: t('userSaved'),
    onSaved: close,
  })
  if (link) return <MadePasswordLink link={link} name={form.values.name} close={close} />
  return (
    <Dialog opened onClose={close} title={t('editWhom', { name: user.name })}>
      <form onSubmit={form.onSubmit(() => void change.submit())}>
        <Stack>
          <TextInput label={t('name')} required maxLength={200} data-autofocus {...form.getInputProps('name')} />
          <TextInput label={t('email')} type="email" disabled value={user.email} />
          {!isOneself && (
            <>
              {isOperator && (
                <PasswordInput
                  label={t('newPassword')}
                  description={t('newPasswordHelp')}
                  autoComplete="new-password"
                  {...form.getInputProps('password')}
                />
              )}
              <Switch
                label={t('maySignIn')}
                description={t('maySignInHelp')}
                {...form.getInputProps('isActive', { type: 'checkbox' })}
              />
              {(isOperator || !user.hasPassword) && <PasswordLinkButton user={user} made={setLink} />}
            </>
          )}
          {user.hasSecondFactor && !isOneself && isOperator && <RemoveSecondFactor user={user} done={close} />}
          <Clashes {...change} />
          <Group justify="space-between">
            <div>{!isOneself && <DeleteUser user={user} done={close} />}</div>
            <DialogActions label={t('save')} isSaving={change.isSaving} close={close} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function DeleteUser({ user, done }: { user: User; done: () => void }) {
  const { submit } = useSave({
    save: () =>
      answer(
        client.DELETE('/v1/panel/users/{id}', { params: { path: { id: user.id }, header: ifMatch(user.version) } }),
      ),
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
