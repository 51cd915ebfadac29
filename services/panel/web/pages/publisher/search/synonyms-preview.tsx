import { Badge, List, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PHRASE_CHARS_MAX, PHRASES_PREVIEWED_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import type { ApiProblem } from '../../../client/problem.ts'
import type { SynonymsPreview as Preview } from '../../../client/types.ts'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { t } from '../../../messages/pages/shop/search.ts'

const WAIT_MS = 400
const PHRASES_MAX = 10

type Row = Preview['phrases'][number]

export interface SynonymsPreviewProps {
  shopId: string
  /** The synonyms that are saved, and those being edited. */
  saved: string
  text: string
  /** Phrases that shoppers searched for. */
  searched: readonly string[]
}

/** What searches find before and after a change of synonyms. */
export function SynonymsPreview({ shopId, saved, text, searched }: SynonymsPreviewProps) {
  const [typed, setTyped] = useState('')
  const ofChange = text === saved ? [] : [...changedNames(saved, text, PHRASES_MAX), ...searched]
  const phrases = [...new Set([typed.trim(), ...ofChange])].filter((each) => each !== '')
  const [asked] = useDebouncedValue(JSON.stringify({ text, phrases: phrases.slice(0, PHRASES_PREVIEWED_MAX) }), WAIT_MS)
  const path = '/v1/panel/shops/{id}/synonyms/preview'
  const { data, error } = useQuery<Preview, ApiProblem>({
    queryKey: [path, shopId, saved, asked],
    queryFn: () => answer(client.POST(path, { params: { path: { id: shopId } }, body: JSON.parse(asked) })),
    enabled: (JSON.parse(asked) as { phrases: string[] }).phrases.length > 0,
    placeholderData: keepPreviousData,
  })
  // Of the phrases that shoppers searched for, show only those whose result changes.
  const isOfInterest = ({ phrase, before, after }: Row) => !searched.includes(phrase) || !isSame(before, after)
  return (
    <PanelCard title={t('preview')} description={t('previewHelp')}>
      <TextInput
        label={t('phrase')}
        description={t('phraseHelp')}
        maxLength={PHRASE_CHARS_MAX}
        maw={420}
        mb="md"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <div role="status">
        {phrases.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('nothingToShow')}
          </Text>
        )}
        {phrases.length > 0 && error && (
          <Text size="sm" c="red">
            {error.message}
          </Text>
        )}
        {phrases.length > 0 && !error && !data && (
          <Text size="sm" c="dimmed">
            {t('previewWaits')}
          </Text>
        )}
      </div>
      {phrases.length > 0 && !error && data && <Comparison rows={data.phrases.filter(isOfInterest)} />}
    </PanelCard>
  )
}

function Comparison({ rows }: { rows: readonly Row[] }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table aria-label={t('previewOf')} verticalSpacing="sm" style={{ tableLayout: 'fixed' }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="20%">{t('phrase')}</Table.Th>
            <Table.Th>{t('before')}</Table.Th>
            <Table.Th>{t('after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ phrase, before, after }) => (
            <Table.Tr key={phrase} style={{ verticalAlign: 'top' }}>
              <Table.Th scope="row">
                <bdi>{phrase}</bdi>
              </Table.Th>
              <Table.Td>
                <Found side={before} mark={t('isGone')} color="red" />
              </Table.Td>
              <Table.Td>
                {isSame(before, after) ? (
                  <Text size="sm" c="dimmed">
                    {t('same')}
                  </Text>
                ) : (
                  <Found side={after} mark={t('isNew')} color="teal" />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const isSame = (before: Row['before'], after: Row['after']) =>
  JSON.stringify(before.products) === JSON.stringify(after.products) && before.found === after.found

function Found({ side: { found, more, products }, mark, color }: { side: Row['before']; mark: string; color: string }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {more ? t('foundMore', { count: found }) : t('found', { count: found })}
      </Text>
      <List size="sm" listStyleType="none">
        {products.map(({ feedId, id, title, isNew }) => (
          <List.Item key={`${feedId}/${id}`}>
            <bdi>{title}</bdi>{' '}
            {isNew && (
              <Badge variant="dot" color={color} size="sm" tt="none" fw={500}>
                {mark}
              </Badge>
            )}
          </List.Item>
        ))}
      </List>
    </>
  )
}

/**
 * The names in lines that only one of the two texts has, because the change can affect them: first added lines, the last one first,
 * then removed ones.
 */
function changedNames(before: string, after: string, max: number): string[] {
  const [old, next] = [linesOf(before), linesOf(after)]
  const changed = [...next].filter((line) => !old.has(line)).reverse()
  const gone = [...old].filter((line) => !next.has(line))
  const names = [...changed, ...gone]
    .flatMap((line) => line.split(/,|=>/))
    .map((name) => name.replace(/\\(.)/g, '$1').trim())
  return [...new Set(names.filter((name) => name !== ''))].slice(0, max)
}

const linesOf = (text: string) =>
  new Set(
    text
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
