import { Button, Menu, Text } from '@mantine/core'
import { IconBookmark, IconChevronDown, IconDeviceFloppy, IconSettings } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { t } from '../../../messages/pages/reports.ts'
import { ManageViewsDialog } from './manage-views-dialog.tsx'
import { SaveViewDialog } from './save-view-dialog.tsx'
import type { Views } from './use-views.ts'

/** The user's saved views, with the dialogs that save and manage them. */
export function ViewsMenu({ views = [] }: Pick<Views, 'views'>) {
  const [search] = useSearchParams()
  const [dialog, setDialog] = useState<'save' | 'manage' | null>(null)
  const address = search.toString()
  const current = views.find((view) => view.address === address)
  const close = () => setDialog(null)
  return (
    <>
      <Menu position="bottom-end" shadow="md" width={260}>
        <Menu.Target>
          <Button
            variant="default"
            maw={260}
            leftSection={<IconBookmark size={16} aria-hidden />}
            rightSection={<IconChevronDown size={15} aria-hidden />}
          >
            {current?.name ?? t('views')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          {views.length === 0 && <Menu.Label>{t('noViews')}</Menu.Label>}
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              component={Link}
              to={{ search: view.address }}
              aria-current={view === current || undefined}
              fw={view === current ? 600 : undefined}
              style={{ overflowWrap: 'anywhere' }}
              rightSection={
                view.isDefault && (
                  <Text size="xs" c="dimmed">
                    {t('defaultView')}
                  </Text>
                )
              }
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={16} aria-hidden />} onClick={() => setDialog('save')}>
            {t('saveView')}
          </Menu.Item>
          {views.length > 0 && (
            <Menu.Item leftSection={<IconSettings size={16} aria-hidden />} onClick={() => setDialog('manage')}>
              {t('manageViews')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' && <SaveViewDialog address={address} close={close} />}
      {dialog === 'manage' && <ManageViewsDialog views={views} close={close} />}
    </>
  )
}
