import { Anchor, Select } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shops.ts'
import { useSession } from '../../../session/session.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { ShopForm, type ShopValues, useShopForm } from './shop-form.tsx'

/** A new shop of the user's account. An operator chooses the account. */
export default function ShopNewPage() {
  const { user } = useSession()
  const { choose } = useShop()
  const navigate = useNavigate()
  const form = useShopForm()
  const [accountId, setAccountId] = useState<string | null>(null)
  const { submit, isSaving } = useSave({
    save: (values: ShopValues) =>
      answer(client.POST('/v1/panel/shops', { body: { ...values, ...(accountId && { accountId }) } })),
    changes: ['/v1/panel/shops'],
    form,
    saved: t('created'),
    onSaved: ({ id }) => {
      choose(id)
      navigate('/feeds')
    },
  })
  const owner = user.role === 'OPERATOR' && (
    <Owner accountId={accountId} choose={setAccountId} error={form.errors.accountId} />
  )
  return (
    <>
      <PageHeader title={t('newShop')} breadcrumbs={[{ label: t('shops'), to: '/shops' }]} />
      <ShopForm form={form} isNew isSaving={isSaving} owner={owner} onSubmit={(values) => void submit(values)} />
    </>
  )
}

const noPublishers = t.rich('noPublishers', {
  link: (text) => (
    <Anchor component={Link} to="/accounts/new" inherit underline="always">
      {text}
    </Anchor>
  ),
})

interface OwnerProps {
  accountId: string | null
  choose: (id: string | null) => void
  error: ReactNode
}

function Owner({ accountId, choose, error }: OwnerProps) {
  const { items } = useList('/v1/panel/accounts', { query: { kind: 'PUBLISHER' }, pageSize: PAGE_SIZE_MAX })
  return (
    <Select
      label={t('publisher')}
      description={items?.length === 0 && noPublishers}
      required
      searchable
      data={(items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={accountId}
      onChange={choose}
      error={error}
    />
  )
}
