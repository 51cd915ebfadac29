import { Alert, Button, Checkbox, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { AMOUNT_MIN } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { MoneyInput } from '../../../components/form/money-input.tsx'
import { Money } from '../../../components/values/money.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import { stateWord } from '../words.ts'
import {
  BULK_KINDS,
  BULK_WORDS,
  type BulkKind,
  type BulkValues,
  type Change,
  type ChangeResult,
  callsOf,
  changeOf,
  NO_VALUES,
  reasonOf,
  resultsOf,
} from './bulk-changes.ts'

/** The most campaigns that are listed. For the others, only their number is shown. */
const LISTED_MAX = 12

export interface BulkActionsProps {
  campaigns: readonly Campaign[]
  shopOf: (campaign: Campaign) => Shop | undefined
  /** Archived campaigns can only be restored. */
  isArchive: boolean
  clear: () => void
}

/** The changes that can be made to many campaigns at once. Each opens a dialog that says what will change. */
export function BulkActions({ campaigns, shopOf, isArchive, clear }: BulkActionsProps) {
  // Keep the campaigns as they were when the dialog opened: a refreshed list must not change what is confirmed.
  const [asked, setAsked] = useState<{ kind: BulkKind; campaigns: readonly Campaign[] } | null>(null)
  const kinds = BULK_KINDS.filter((kind) => (kind === 'restore') === isArchive)
  return (
    <>
      {kinds.map((kind) => (
        <Button key={kind} size="xs" variant="default" onClick={() => setAsked({ kind, campaigns })}>
          {BULK_WORDS[kind].button}
        </Button>
      ))}
      {asked && (
        <BulkDialog
          {...asked}
          shopOf={shopOf}
          close={(isDone) => {
            setAsked(null)
            if (isDone) clear()
          }}
        />
      )}
    </>
  )
}

interface BulkDialogProps {
  kind: BulkKind
  campaigns: readonly Campaign[]
  shopOf: (campaign: Campaign) => Shop | undefined
  close: (isDone: boolean) => void
}

/** Asks for a change to many campaigns, shows what it will change, makes it, and says which were refused and why. */
function BulkDialog({ kind, campaigns, shopOf, close }: BulkDialogProps) {
  const [values, setValues] = useState(NO_VALUES)
  const [results, setResults] = useState<readonly ChangeResult[] | null>(null)
  const { submit, isSaving } = useSave({
    save: (asked: ReturnType<typeof callsOf>) =>
      resultsOf(asked, async (body) => (await answer(client.POST('/v1/panel/campaign-changes', { body }))).results),
    changes: ['/v1/panel/campaigns'],
  })
  const changes = campaigns.map((campaign) => ({
    campaign,
    change: changeOf(kind, values, campaign, shopOf(campaign)),
  }))
  const calls = callsOf(changes)
  const currencies = new Set(campaigns.map((campaign) => shopOf(campaign)?.currency))
  const isMixed = (kind === 'bid' || kind === 'budget') && currencies.size > 1
  const apply = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!event.currentTarget.reportValidity() || calls.length === 0) return
    setResults((await submit(calls)) ?? null)
  }

  return (
    <Dialog
      opened
      onClose={() => close(results !== null)}
      title={BULK_WORDS[kind].title(campaigns.length)}
      size="lg"
      centered
    >
      {results ? (
        <Results results={results} campaigns={campaigns} close={() => close(true)} />
      ) : (
        <form noValidate onSubmit={(event) => void apply(event)}>
          <Stack gap="sm">
            {isMixed ? (
              <Alert color="orange" variant="light">
                {t('severalCurrencies')}
              </Alert>
            ) : (
              <Fields {...{ kind, campaigns, values, setValues, shopOf }} />
            )}
            {!isMixed && <Preview changes={changes} shopOf={shopOf} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => close(false)}>
                {t('cancel')}
              </Button>
              <Button type="submit" loading={isSaving} disabled={isMixed || calls.length === 0}>
                {t('apply')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

interface FieldsProps {
  kind: BulkKind
  campaigns: readonly Campaign[]
  values: BulkValues
  setValues: (values: BulkValues) => void
  shopOf: (campaign: Campaign) => Shop | undefined
}

function Fields({ kind, campaigns, values, setValues, shopOf }: FieldsProps) {
  const shop = campaigns[0] && shopOf(campaigns[0])
  const amount = (name: 'cpc' | 'cpm' | 'budget', label: string) => (
    <MoneyInput
      label={label}
      currency={shop?.currency}
      min={AMOUNT_MIN}
      value={values[name]}
      onChange={(value) => setValues({ ...values, [name]: value })}
      data-autofocus
    />
  )
  if (kind === 'budget') return amount('budget', t('budget'))
  if (kind === 'bid') {
    const has = (wanted: Campaign['kind']) => campaigns.some((campaign) => campaign.kind === wanted)
    return (
      <>
        {has('SPONSORED') && amount('cpc', t('cpc'))}
        {has('DISPLAY') && amount('cpm', t('cpm'))}
      </>
    )
  }
  if (kind !== 'end') return null
  const zones = new Set(campaigns.map((campaign) => shopOf(campaign)?.timeZone.replaceAll('_', ' ') ?? 'UTC'))
  return (
    <>
      <TextInput
        type="datetime-local"
        label={t('endDate')}
        description={t('endDateHelp', { zone: [...zones].join(', ') })}
        disabled={values.isEndless}
        value={values.isEndless ? '' : values.endAt}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, endAt: value })}
        data-autofocus
      />
      <Checkbox
        label={t('noEndDate')}
        checked={values.isEndless}
        onChange={({ currentTarget: { checked } }) => setValues({ ...values, isEndless: checked })}
      />
    </>
  )
}

interface PreviewProps {
  changes: readonly { campaign: Campaign; change: Change | null }[]
  shopOf: (campaign: Campaign) => Shop | undefined
}

/** The current and the new value of each campaign. */
function Preview({ changes, shopOf }: PreviewProps) {
  return (
    <section aria-label={t('whatChanges')}>
      <Text size="sm" fw={500} mb={4}>
        {t('whatChanges')}
      </Text>
      <List size="sm" listStyleType="none" style={{ overflowWrap: 'anywhere' }}>
        {changes.slice(0, LISTED_MAX).map(({ campaign, change }) => (
          <List.Item key={campaign.id}>
            <bdi>{campaign.name}</bdi>
            {': '}
            <Text span size="sm" c="dimmed">
              {change === null ? t('remains') : difference(campaign, change, shopOf(campaign))}
            </Text>
          </List.Item>
        ))}
      </List>
      {changes.length > LISTED_MAX && (
        <Text size="sm" c="dimmed">
          {t('notListed', { count: changes.length - LISTED_MAX })}
        </Text>
      )}
    </section>
  )
}

function difference(campaign: Campaign, change: Change, shop: Shop | undefined): ReactNode {
  const money = (amount: number | undefined, key: string) => (
    <Money key={key} amount={amount} currency={shop?.currency} />
  )
  const end = (at: string | null, key: string) =>
    at === null ? t('noEnd') : <DateTime key={key} at={at} {...(shop && { timeZone: shop.timeZone })} />
  const pair = (before: ReactNode, after: ReactNode) => t.rich('changesTo', { before, after })
  if (change.budget !== undefined) return pair(money(campaign.budget, 'before'), money(change.budget, 'after'))
  if (change.cpc !== undefined) return pair(money(campaign.cpc, 'before'), money(change.cpc, 'after'))
  if (change.cpm !== undefined) return pair(money(campaign.cpm, 'before'), money(change.cpm, 'after'))
  if (change.endAt !== undefined) return pair(end(campaign.endAt, 'before'), end(change.endAt, 'after'))
  const state = stateWord(campaign.state)
  if (change.status === 'PAUSED') return campaign.status === 'PAUSED' ? t('remains') : pair(state, stateWord('PAUSED'))
  if (change.status === 'ACTIVE') return campaign.status === 'ACTIVE' ? t('remains') : pair(state, t('statusACTIVE'))
  return pair(state, change.archived ? stateWord('ARCHIVED') : t('restore'))
}

interface ResultsProps {
  results: readonly ChangeResult[]
  campaigns: readonly Campaign[]
  close: () => void
}

function Results({ results, campaigns, close }: ResultsProps) {
  const count = (outcome: ChangeResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const refused = results.filter(({ outcome }) => outcome === 'REFUSED')
  const nameOf = (id: string) => campaigns.find((campaign) => campaign.id === id)?.name ?? t('unknownCampaign')
  return (
    <Stack gap="sm" role="status">
      <Text size="sm">{t('resultChanged', { count: count('CHANGED') })}</Text>
      {count('UNCHANGED') > 0 && <Text size="sm">{t('resultUnchanged', { count: count('UNCHANGED') })}</Text>}
      {refused.length > 0 && (
        <Alert color="orange" variant="light" title={t('resultRefused', { count: refused.length })}>
          <List size="sm" mah={260} style={{ overflow: 'auto', overflowWrap: 'anywhere' }}>
            {refused.map((result) => (
              <List.Item key={result.id}>
                <bdi>{nameOf(result.id)}</bdi>
                {': '}
                {reasonOf(result)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button onClick={close} data-autofocus>
          {t('close')}
        </Button>
      </Group>
    </Stack>
  )
}
