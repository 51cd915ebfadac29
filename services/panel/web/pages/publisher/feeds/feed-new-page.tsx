import { Skeleton } from '@mantine/core'
import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Shop } from '../../../client/types.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSave } from '../../../data/use-save.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { FeedForm, type FeedValues, feedBody, useFeedForm } from './feed-form.tsx'

export default function FeedNewPage() {
  const { shop, shops } = useShop()
  return (
    <>
      <PageHeader
        title="New feed"
        description={shop && `For ${shop.name}`}
        breadcrumbs={[{ label: 'Feeds', to: '/feeds' }]}
      />
      {shop && <NewFeed key={shop.id} shop={shop} />}
      {!shop && (shops ? <NoShop /> : <Skeleton height={420} />)}
    </>
  )
}

function NewFeed({ shop }: { shop: Shop }) {
  const navigate = useNavigate()
  const form = useFeedForm({ shop })
  const { submit, isSaving } = useSave({
    save: (values: FeedValues) => {
      const body = { shopId: shop.id, ...feedBody(values), ...(values.currency && { currency: values.currency }) }
      return answer(client.POST('/v1/panel/feeds', { body }))
    },
    changes: ['/v1/panel/feeds'],
    form,
    saved: 'Feed created',
    onSaved: ({ id }) => navigate(`/feeds/${id}`),
  })
  return <FeedForm form={form} isNew isSaving={isSaving} onSubmit={(values) => void submit(values)} />
}
