import { Kbd, Modal, Switch, Table } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'

const shortcuts = [
  ['j', 'The next campaign'],
  ['k', 'The campaign before'],
  ['a', 'Accept'],
  ['r', 'Reject, with a reason'],
  ['?', 'This help'],
] as const

/** Whether single-key shortcuts are on. Users of speech input can turn them off (WCAG 2.1.4). */
export function useShortcutsOn() {
  return useLocalStorage({ key: 'endcap-moderation-shortcuts', defaultValue: true, getInitialValueInEffect: false })
}

export function ShortcutsDialog({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [isOn, setOn] = useShortcutsOn()
  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts">
      <Table aria-label="Keyboard shortcuts" mb="md">
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
      <Switch
        label="Use single-key shortcuts"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => setOn(checked)}
      />
    </Modal>
  )
}
