import { Skeleton } from '@mantine/core'
import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Shop } from '../../../client/types.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { FeedForm, type FeedValues, feedBody, newFeedOf, useFeedForm } from './feed-form.tsx'

export default function FeedNewPage() {
  const { shop, shops } = useShop()
  return (
    <>
      <PageHeader
        title={t('newFeed')}
        description={shop && t('feedFor', { shop: shop.name })}
        breadcrumbs={[{ label: t('feeds'), to: '/feeds' }]}
      />
      {shop && <NewFeed key={shop.id} shop={shop} />}
      {!shop && (shops ? <NoShop /> : <Skeleton height={420} />)}
    </>
  )
}

function NewFeed({ shop }: { shop: Shop }) {
  const navigate = useNavigate()
  const form = useFeedForm(newFeedOf(shop))
  const { submit, isSaving } = useSave({
    save: (values: FeedValues) =>
      answer(client.POST('/v1/panel/feeds', { body: { shopId: shop.id, ...feedBody(values) } })),
    changes: ['/v1/panel/feeds'],
    form,
    saved: t('feedCreated'),
    onSaved: ({ id }) => navigate(`/feeds/${id}`),
  })
  return <FeedForm form={form} feed={null} isSaving={isSaving} onSubmit={(values) => void submit(values)} />
}
