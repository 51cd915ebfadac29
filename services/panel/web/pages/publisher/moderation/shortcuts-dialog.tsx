import { Kbd, Switch, Table } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Dialog } from '../../../components/form/dialog.tsx'
import { t } from '../../../messages/pages/shop/moderation.ts'

const shortcuts = [
  ['j', t('keyNext')],
  ['k', t('keyPrevious')],
  ['a', t('keyAccept')],
  ['r', t('keyReject')],
  ['u', t('keyUndo')],
  ['?', t('keyHelp')],
] as const

/** Whether single-key shortcuts are on. Users of speech input can turn them off (WCAG 2.1.4). */
export function useShortcutsOn() {
  return useLocalStorage({ key: 'endcap-moderation-shortcuts', defaultValue: true, getInitialValueInEffect: false })
}

export function ShortcutsDialog({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [isOn, setOn] = useShortcutsOn()
  return (
    <Dialog opened={isOpen} onClose={close} title={t('keyboardShortcuts')}>
      <Table aria-label={t('keyboardShortcuts')} mb="md">
        <Table.Tbody>
          {shortcuts.map(([key, what]) => (
            <Table.Tr key={key}>
              <Table.Td w={70}>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch label={t('singleKeys')} checked={isOn} onChange={({ currentTarget: { checked } }) => setOn(checked)} />
    </Dialog>
  )
}
