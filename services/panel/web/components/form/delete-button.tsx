import { Anchor, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { Link } from 'react-router'
import type { Answer, DeletionPath } from '../../client/types.ts'
import { useEntity } from '../../data/use-entity.ts'
import { t } from '../../messages/components.ts'
import { useShop } from '../../session/shop-context.tsx'
import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx'

export interface DeleteButtonProps extends Pick<ConfirmButtonProps, 'message' | 'onConfirm'> {
  /** The kind of thing: 'account'. */
  what: string
  name: string
  /** Where the API says whether the thing can be deleted: `/v1/panel/shops/{id}/deletion`. */
  path: DeletionPath
  id: string
  /** The shop to which the thing belongs, or the shop itself. Its lists show what prevents the deletion. */
  shopId?: string
}

type Blocker = Answer<DeletionPath>['blockers'][number]

/** Deletes one thing, after a confirmation that names it. While something prevents the deletion, the button says so and is disabled. */
export function DeleteButton({ what, name, path, id, shopId, ...rest }: DeleteButtonProps) {
  const reasonId = useId()
  // When this request fails, the button stays enabled: the server checks again when it deletes.
  const { data: deletion } = useEntity(path, { path: { id } })
  const isBlocked = deletion?.allowed === false
  return (
    <Stack gap={4} align="flex-start">
      <ConfirmButton
        variant="subtle"
        color="red"
        title={t('deleteQuestion', { what, name })}
        confirm={t('deleteWhat', { what })}
        disabled={isBlocked}
        aria-describedby={isBlocked ? reasonId : undefined}
        {...rest}
      >
        {t('deleteWhat', { what })}
      </ConfirmButton>
      {isBlocked && (
        <Text id={reasonId} size="xs" c="dimmed" maw={520}>
          {deletion.blockers.length === 0 ? (
            deletion.blockedBy
          ) : (
            <Blockers blockers={deletion.blockers} shopId={shopId} />
          )}
        </Text>
      )}
    </Stack>
  )
}

function Blockers({ blockers, shopId }: { blockers: readonly Blocker[]; shopId: string | undefined }) {
  const parts = new Intl.ListFormat('en').formatToParts(blockers.map(({ kind }) => kind))
  return (
    <>
      {t.rich('notDeletable', {
        blockers: parts.map(({ type, value }) => {
          const blocker = blockers.find(({ kind }) => type === 'element' && kind === value)
          return blocker ? <BlockerLink key={value} {...blocker} shopId={shopId} /> : value
        }),
      })}
      {blockers.some(({ kind }) => kind === 'Campaign') && ` ${t('archivedCount')}`}
    </>
  )
}

/** The pages that list what prevents a deletion. Each shows one shop, except the list of shops. */
const lists: Record<Blocker['kind'], string> = {
  Shop: '/shops',
  Placement: '/placements',
  AdUnit: '/placements',
  TechnicalSlot: '/technical-units',
  AdFormat: '/ad-formats',
  Feed: '/feeds',
  Campaign: '/campaigns',
}

function BlockerLink({ kind, count, shopId }: Blocker & { shopId: string | undefined }) {
  const { choose } = useShop()
  const label = t(`blockedBy${kind}`, { count })
  if (shopId === undefined && kind !== 'Shop') return label
  const show = () => shopId !== undefined && choose(shopId)
  return (
    <Anchor underline="always" component={Link} to={lists[kind]} onClick={show} inherit>
      {label}
    </Anchor>
  )
}
