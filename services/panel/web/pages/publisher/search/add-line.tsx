import { Button, Group, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { t } from '../../../messages/pages/shop/search.ts'

/** The words with which the fields of a new line start; '' for an empty field. */
export interface BegunLine {
  words: string
  finds: string
}

export interface AddLineProps {
  begun: BegunLine
  onAdd: (line: string) => void
}

/** Writes a line of synonyms from words. */
export function AddLine({ begun, onAdd }: AddLineProps) {
  const [words, setWords] = useState(escaped(begun.words))
  const [finds, setFinds] = useState(escaped(begun.finds))
  const [left, right] = [words.trim(), finds.trim()]
  function add() {
    if (left === '') return
    onAdd(right === '' ? left : `${left} => ${right}`)
    setWords('')
    setFinds('')
  }
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label={t('words')}
        description={t('wordsHelp')}
        placeholder={t('wordsExample')}
        style={{ flex: '1 1 220px' }}
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
        onKeyDown={addOnEnter}
      />
      <TextInput
        label={t('finds')}
        description={t('findsHelp')}
        autoFocus={begun.words !== ''}
        placeholder={t('findsExample')}
        style={{ flex: '1 1 220px' }}
        value={finds}
        onChange={({ currentTarget }) => setFinds(currentTarget.value)}
        onKeyDown={addOnEnter}
      />
      <Button variant="default" disabled={left === ''} onClick={add} leftSection={<IconPlus size={16} aria-hidden />}>
        {t('add')}
      </Button>
    </Group>
  )
}

const escaped = (name: string) => name.replace(/[\\,]|=>/g, '\\$&')
