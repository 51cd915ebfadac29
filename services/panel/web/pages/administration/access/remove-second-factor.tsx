import { answer, client } from '../../../client/client.ts'
import type { User } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { useSave } from '../../../data/use-save.ts'

/** For a user who has lost the authenticator app and the recovery codes. */
export function RemoveSecondFactor({ user, done }: { user: User; done: () => void }) {
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
