import { Alert, Anchor, Badge, Group, List, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconCheck, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import type { Product } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { ProductPicture } from '../../../components/values/product-picture.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/products.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { feedWord, wordsOf } from './why-not.ts'

/** One product of the chosen shop: why it can or cannot be shown, and all its fields. */
export default function ProductPage() {
  const { id = '' } = useParams()
  const { shop, shops } = useShop()
  const { data, problem, retry } = useEntity('/v1/panel/products/{id}', {
    path: { id },
    query: { shopId: shop?.id ?? '' },
    enabled: shop !== undefined,
  })
  return (
    <>
      <PageHeader
        title={data?.title ?? t('product')}
        breadcrumbs={[{ label: t('products'), to: '/products' }]}
        actions={<CopyField value={id} label={t('productId')} />}
      />
      {shops && !shop && <NoShop />}
      {problem && !data && <ErrorState problem={problem} retry={retry} />}
      {!problem && !data && !(shops && !shop) && <Skeleton height={640} />}
      {data && (
        <Stack gap="md">
          <WhyNot product={data} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Pictures product={data} />
            <PanelCard title={t('offer')}>
              <DetailList details={offerOf(data, shop?.timeZone)} />
            </PanelCard>
          </SimpleGrid>
          <PanelCard title={t('details')}>
            <DetailList details={fieldsOf(data, shop?.timeZone)} />
          </PanelCard>
        </Stack>
      )}
    </>
  )
}

function WhyNot({ product: { whyNot, shopId } }: { product: Product }) {
  const campaigns = useList('/v1/panel/campaigns', { query: { shopId }, pageSize: PAGE_SIZE_MAX })
  const names = new Map(campaigns.items?.map(({ id, name }) => [id, name]))
  if (whyNot.length === 0) {
    return (
      <Alert color="teal" icon={<IconCheck />} title={t('canShow')}>
        {t('canShowHelp')}
      </Alert>
    )
  }
  return (
    <Alert color="orange" icon={<IconEyeOff />} title={t('cannotShow')}>
      <List size="sm" spacing={6}>
        {whyNot.map((reason) => (
          <List.Item key={reason.code + reason.campaignId}>
            <Text size="sm" fw={550} component="span">
              <Reason what={wordsOf(reason).what} id={reason.campaignId} name={names.get(reason.campaignId ?? '')} />
            </Text>{' '}
            {wordsOf(reason).help}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** A reason, with a link to its campaign if the user may see that campaign. */
function Reason({ what, id, name }: { what: string; id: string | null; name: string | undefined }) {
  if (name === undefined) return t('reason', { reason: what })
  const campaign = (
    <Anchor component={Link} to={`/campaigns/${id}`} inherit>
      <bdi>{name}</bdi>
    </Anchor>
  )
  return t.rich('reasonOfCampaign', { reason: what, campaign })
}

function Pictures({ product: { title, imageLink, additionalImageLinks } }: { product: Product }) {
  return (
    <PanelCard title={t('pictures')}>
      <Group align="end" gap="sm">
        <ProductPicture src={imageLink} alt={title} size={220} />
        {additionalImageLinks.map((link) => (
          <ProductPicture key={link} src={link} alt={t('anotherView', { title })} size={72} />
        ))}
      </Group>
    </PanelCard>
  )
}

function offerOf(product: Product, timeZone: string | undefined): Record<string, ReactNode> {
  const { price, salePrice, currency, isAvailable, availability, link, campaignIds, updatedAt } = product
  return {
    [t('price')]: <Money amount={price} currency={currency} />,
    [t('salePrice')]: salePrice !== null && <Money amount={salePrice} currency={currency} />,
    [t('availability')]: feedWord(availability),
    [t('availableNow')]: isAvailable ? t('yes') : t('no'),
    [t('brand')]: product.brand,
    [t('categories')]: product.productTypes.length > 0 && (
      <Stack gap={2}>
        {product.productTypes.map((path) => (
          <span key={path}>{path}</span>
        ))}
      </Stack>
    ),
    [t('page')]: (
      <Anchor href={link} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {link}
      </Anchor>
    ),
    [t('campaigns')]: formatCount(campaignIds.length),
    [t('changed')]: <DateTime at={updatedAt} timeZone={timeZone} />,
  }
}

function fieldsOf(product: Product, timeZone: string | undefined): Record<string, ReactNode> {
  const { labels, externalSellerId, externalSellerName, expiresAt } = product
  return {
    [t('itemGroup')]: product.itemGroupId,
    [t('joins')]: product.productId,
    [t('systemId')]: <CopyField value={product.systemProductId} label={t('systemIdName')} />,
    [t('gtin')]: product.gtin,
    [t('mpn')]: product.mpn,
    [t('condition')]: product.condition && feedWord(product.condition),
    [t('seller')]: externalSellerId && [externalSellerName, externalSellerId].filter(Boolean).join(', '),
    [t('labels')]: labels.length > 0 && (
      <Group gap={4}>
        {labels.map((label) => (
          <Badge key={label} variant="default" radius="sm" tt="none">
            {label}
          </Badge>
        ))}
      </Group>
    ),
    [t('expires')]: expiresAt && <DateTime at={expiresAt} timeZone={timeZone} />,
  }
}
