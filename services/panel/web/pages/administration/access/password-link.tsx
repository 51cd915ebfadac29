import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { answer, client } from '../../../client/client.ts'
import type { PasswordLink, User } from '../../../client/types.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration.ts'

/** Makes a link with which a user chooses a password. The link is shown only once. */
export function PasswordLinkButton({ user, made }: { user: User; made: (link: PasswordLink) => void }) {
  const { submit, isSaving } = useSave({
    save: () => answer(client.POST('/v1/panel/users/{id}/password-link', { params: { path: { id: user.id } } })),
    changes: ['/v1/panel/users'],
    onSaved: made,
  })
  return (
    <Group gap="sm">
      <Button variant="default" loading={isSaving} onClick={() => void submit(undefined)}>
        {user.hasPassword ? t('makeResetLink') : t('makeInvitation')}
      </Button>
      <Text size="xs" c="dimmed" flex={1}>
        {user.hasPassword ? t('resetLinkHelp') : t('newInvitationHelp')}
      </Text>
    </Group>
  )
}

/** Shows the link, unless only the user may have it. Only its buttons close it, because a link that nobody has copied is lost. */
export function MadePasswordLink({ link, name, close }: { link: PasswordLink; name: string; close: () => void }) {
  return (
    <Dialog
      opened
      onClose={close}
      title={link.purpose === 'INVITATION' ? t('invitation') : t('resetLink')}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color={link.isMailed ? 'teal' : 'yellow'} variant="light">
          {t.rich(link.url === null ? 'linkOnlyMailed' : link.isMailed ? 'linkMailed' : 'linkToHand', {
            name,
            time: () => <DateTime at={link.expiresAt} />,
          })}
        </Alert>
        {link.url !== null && <CopyField value={link.url} label={t('link')} />}
        <Group justify="flex-end">
          <Button onClick={close}>{t('done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
