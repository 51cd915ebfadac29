import { Button, EmptyState, Skeleton, Table } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { EmptySearches as Searches } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { DateTime } from '../../../components/values/times.tsx'
import type { EntityState } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/shop/search.ts'

type Row = Searches['items'][number]

export interface EmptySearchesProps extends EntityState<Searches> {
  timeZone: string | undefined
  /** Starts a line of synonyms with a phrase. */
  onSynonym: (phrase: string, finds: string) => void
}

/** The phrases for which shoppers found nothing. */
export function EmptySearches({ data, problem, retry, timeZone, onSynonym }: EmptySearchesProps) {
  return (
    <PanelCard title={t('emptySearches')} description={t('emptySearchesHelp')}>
      {problem && !data && <ErrorState problem={problem} retry={retry} />}
      {!problem && !data && <Skeleton height={160} />}
      {data?.items.length === 0 && (
        <EmptyState icon={<IconSearch />} title={t('noEmptySearches')} description={t('noEmptySearchesHelp')} />
      )}
      {data && data.items.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table aria-label={t('emptySearches')} verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('phrase')}</Table.Th>
                <Table.Th ta="end">{t('people')}</Table.Th>
                <Table.Th ta="end">{t('searches')}</Table.Th>
                <Table.Th>{t('last')}</Table.Th>
                <Table.Th>{t('catalogue')}</Table.Th>
                <Table.Th>{t('spelling')}</Table.Th>
                <Table.Th ta="end">{t('actions')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.items.map((row) => (
                <Table.Tr key={row.phrase}>
                  <Table.Th scope="row" fw={500}>
                    <bdi>{row.phrase}</bdi>
                  </Table.Th>
                  <Table.Td ta="end">{formatCount(row.people)}</Table.Td>
                  <Table.Td ta="end">{formatCount(row.searches)}</Table.Td>
                  <Table.Td>
                    <DateTime at={row.lastAt} timeZone={timeZone} />
                  </Table.Td>
                  <Table.Td>{inCatalogue(row)}</Table.Td>
                  <Table.Td>
                    <bdi>{row.spelling ?? '–'}</bdi>
                  </Table.Td>
                  <Table.Td ta="end">
                    {row.products !== true && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('makeSynonymOf', { phrase: row.phrase })}
                        onClick={() => onSynonym(row.phrase, row.spelling ?? '')}
                      >
                        {t('makeSynonym')}
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </PanelCard>
  )
}

function inCatalogue({ products }: Row): string {
  if (products === null) return t('unknown')
  return products ? t('hasSome') : t('hasNone')
}
