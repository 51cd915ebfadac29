import { Button, Group, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { ID_CHARS_MAX } from '../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../client/client.ts'
import type { Query } from '../../client/types.ts'
import { CsvButton } from '../../components/values/csv-button.tsx'
import { t } from '../../messages/pages/sales.ts'
import type { Days, Period } from '../reports/controls/periods.ts'
import { changedSearch } from '../reports/report-state.ts'
import { salePath } from './sale-words.ts'

export interface SalesActionsProps {
  /** The shop of the sales; undefined for those of all shops. */
  shopId: string | undefined
  /** Advertisers cannot look up orders, because they do not know their numbers. */
  isAdvertiser: boolean
  period: Period
  days: Days
  /** What is listed. */
  query: Query<'/v1/panel/transactions'>
}

/** What can be done with the sales of a period: look one up, see them by product, and save them as a file. */
export function SalesActions({ shopId, isAdvertiser, period, days, query }: SalesActionsProps) {
  const { accountId, campaignId } = query
  const filters = { ...(accountId && { accountId }), ...(campaignId && { campaignId }) }
  const byProduct = changedSearch(new URLSearchParams(), { period, shopId, groupBy: ['purchasedProduct'], filters })
  return (
    <>
      {shopId && !isAdvertiser && <OrderLookUp shopId={shopId} />}
      <Button component={Link} variant="default" to={`/reports?${byProduct}`}>
        {t('byProduct')}
      </Button>
      <CsvButton
        name={`sales-${days.from}-${days.until}.csv`}
        load={() => {
          const params = { query: { ...query, format: 'csv' as const } }
          return answer(client.GET('/v1/panel/transactions', { params, parseAs: 'blob' }))
        }}
      >
        {t('downloadCsv')}
      </CsvButton>
    </>
  )
}

/** Opens an order of the shop by its number, however old it is. */
function OrderLookUp({ shopId }: { shopId: string }) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const eventId = typed.trim()
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (eventId !== '') void navigate(salePath({ shopId, eventId }))
  }
  return (
    <search>
      <form onSubmit={open}>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            aria-label={t('order')}
            placeholder={t('order')}
            maxLength={ID_CHARS_MAX}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            spellCheck={false}
            autoComplete="off"
          />
          <Button type="submit" variant="default" leftSection={<IconSearch size={16} aria-hidden />}>
            {t('lookUp')}
          </Button>
        </Group>
      </form>
    </search>
  )
}
