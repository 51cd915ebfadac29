import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCoins } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { answer, client } from '../../../../client/client.ts'
import type { Feed, FeedRun } from '../../../../client/types.ts'
import { formatCount } from '../../../../components/values/numbers.ts'
import { useSave } from '../../../../data/use-save.ts'
import { t } from '../../../../messages/pages/shop/feed-causes.ts'
import { runPaths } from './runs.ts'

type Cause = FeedRun['causes'][number]

export interface RunDiagnosisProps {
  run: FeedRun
  feed: Feed
}

/** Why a run failed or rejected products, and what to do about it, with a button where one click is enough. */
export function RunDiagnosis({ run, feed }: RunDiagnosisProps) {
  const { currency, shopCurrency } = run
  return (
    <Stack gap="sm">
      {run.outcome === 'FAILED' && (
        <Alert color="red" icon={<IconAlertTriangle />} title={t('failedTitle')}>
          {run.message}. {failureHelp(run)}
        </Alert>
      )}
      {run.outcome !== 'FAILED' && run.causes.length > 0 && <Causes run={run} feed={feed} />}
      {currency !== null && shopCurrency !== null && currency !== shopCurrency && (
        <Alert color="yellow" icon={<IconCoins />} title={t('shopCurrency', { currency, shopCurrency })}>
          {t('shopCurrencyHelp', { currency, shopCurrency })}
        </Alert>
      )}
    </Stack>
  )
}

function Causes({ run, feed }: RunDiagnosisProps) {
  const [first, ...others] = run.causes
  const isGrave = run.rejected * 2 > run.total
  return (
    <Alert color={isGrave ? 'red' : 'orange'} icon={<IconAlertTriangle />} title={first && causeText(first, run)}>
      <Stack gap="xs" align="start">
        {first && <Text size="sm">{causeHelp(first, run)}</Text>}
        {run.betterCurrency !== null && run.betterCurrency !== feed.currency && (
          <ChangeCurrency feed={feed} currency={run.betterCurrency} />
        )}
        {others.length > 0 && (
          <div>
            <Text size="sm">{t('otherCauses')}</Text>
            <List size="sm">
              {others.map((cause) => (
                <List.Item key={cause.code + cause.value}>{causeText(cause, run)}</List.Item>
              ))}
            </List>
          </div>
        )}
      </Stack>
    </Alert>
  )
}

function ChangeCurrency({ feed, currency }: { feed: Feed; currency: string }) {
  const navigate = useNavigate()
  const { submit, isSaving } = useSave({
    save: () => answer(client.PATCH('/v1/panel/feeds/{id}', { params: { path: { id: feed.id } }, body: { currency } })),
    changes: runPaths,
    onSaved: () => navigate(`/feeds/${feed.id}`),
    saved: feed.canBeRead ? t('currencyChanged', { currency }) : t('currencyChangedUpload', { currency }),
  })
  return (
    <>
      {!feed.canBeRead && <Text size="sm">{t('uploadAfterwards')}</Text>}
      <Button size="xs" loading={isSaving} onClick={() => void submit(undefined)}>
        {t('changeCurrency', { currency })}
      </Button>
    </>
  )
}

interface Words {
  text: (about: { who: string; value: string; currency: string }) => string
  help: (about: { value: string; currency: string }) => string
}

const inFile = () => t('fileHelp')

const causeWords: Readonly<Record<string, Words>> = {
  CURRENCY_MISMATCH: {
    text: (about) => t('otherCurrency', about),
    help: ({ value }) => t('otherCurrencyFileHelp', { value }),
  },
  MISSING_FIELD: {
    text: ({ who, value }) => t('missingField', { who, value }),
    help: ({ value }) => t('missingFieldHelp', { value }),
  },
  ID_TOO_LONG: { text: ({ who }) => t('idTooLong', { who }), help: inFile },
  DUPLICATE_ID: { text: ({ who }) => t('duplicateId', { who }), help: () => t('duplicateIdHelp') },
  INVALID_PRICE: {
    text: ({ who }) => t('invalidPrice', { who }),
    help: ({ currency }) => t('invalidPriceHelp', { currency }),
  },
  AMBIGUOUS_PRICE: {
    text: ({ who }) => t('ambiguousPrice', { who }),
    help: ({ currency }) => t('invalidPriceHelp', { currency }),
  },
  INVALID_AVAILABILITY: { text: ({ who }) => t('invalidAvailability', { who }), help: () => t('availabilityHelp') },
  INVALID_LINK: { text: ({ who }) => t('invalidLink', { who }), help: () => t('linkHelp') },
  ITEM_TOO_LARGE: { text: ({ who }) => t('tooLarge', { who }), help: inFile },
}
const unknownCause: Words = { text: ({ who }) => t('otherReason', { who }), help: inFile }

const wordsOf = ({ code }: Cause): Words => causeWords[code] ?? unknownCause

function causeText(cause: Cause, { total, currency }: FeedRun): string {
  const numbers = { count: formatCount(cause.count), total: formatCount(total) }
  const isAll = cause.count === total
  const ofPrices = isAll ? t('allPrices', numbers) : t('somePrices', numbers)
  const ofProducts = isAll ? t('allProducts', numbers) : t('someProducts', numbers)
  const who = cause.code === 'CURRENCY_MISMATCH' ? ofPrices : ofProducts
  return wordsOf(cause).text({ who, value: cause.value ?? '', currency: currency ?? '' })
}

function causeHelp(cause: Cause, { currency, betterCurrency }: FeedRun): string {
  if (cause.code === 'CURRENCY_MISMATCH' && betterCurrency !== null) {
    return t('otherCurrencyHelp', { value: betterCurrency })
  }
  return wordsOf(cause).help({ value: cause.value ?? '', currency: currency ?? '' })
}

const failures = {
  ACCESS_DENIED: 'accessDenied',
  NOT_FOUND: 'notFound',
  HTTP_ERROR: 'httpError',
  UNREACHABLE: 'unreachable',
  INTERRUPTED: 'interrupted',
  TOO_SLOW: 'tooSlow',
  PRIVATE_ADDRESS: 'privateAddress',
  BAD_ADDRESS: 'badAddress',
  WEB_PAGE: 'webPage',
  NOT_A_FEED: 'notAFeed',
  MALFORMED: 'malformed',
  ENCODING: 'encoding',
  COMPRESSION: 'compression',
  TOO_LARGE: 'fileTooLarge',
  CONTENT_GONE: 'contentGone',
  INTERNAL: 'internal',
} as const

/** What to do about a failure, and who can do it. An uploaded file has no address that could be wrong. */
function failureHelp({ failure, trigger }: FeedRun): string {
  if (failure === null) return ''
  const help = failures[failure as keyof typeof failures]
  return t(help === 'webPage' && trigger === 'UPLOAD' ? 'webPageUploaded' : help)
}
