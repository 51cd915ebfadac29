import { Alert, Anchor, Badge, Group, List, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconCheck, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import type { Product } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { Money } from '../../../components/values/money.tsx'
import { ProductPicture } from '../../../components/values/product-picture.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { wordsOf } from './why-not.ts'

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
        title={data?.title ?? 'Product'}
        breadcrumbs={[{ label: 'Products', to: '/products' }]}
        actions={<CopyField value={id} label="Product id" />}
      />
      {shops && !shop && <NoShop />}
      {problem && !data && <ErrorState problem={problem} retry={retry} />}
      {!problem && !data && !(shops && !shop) && <Skeleton height={640} />}
      {data && (
        <Stack gap="md">
          <WhyNot product={data} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Pictures product={data} />
            <PanelCard title="Offer">
              <DetailList details={offerOf(data)} />
            </PanelCard>
          </SimpleGrid>
          <PanelCard title="More fields">
            <DetailList details={fieldsOf(data)} />
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
      <Alert color="teal" icon={<IconCheck />} title="It can be shown">
        A running campaign has it, so it takes part in auctions.
      </Alert>
    )
  }
  return (
    <Alert color="orange" icon={<IconEyeOff />} title="It cannot be shown as an ad now">
      <List size="sm" spacing={6}>
        {whyNot.map((reason) => (
          <List.Item key={reason.code + reason.campaignId}>
            <Text size="sm" fw={550} component="span">
              {wordsOf(reason).what}
              {reason.campaignId && names.has(reason.campaignId) && `: ${names.get(reason.campaignId)}`}.
            </Text>{' '}
            {wordsOf(reason).help}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

function Pictures({ product: { title, imageLink, additionalImageLinks } }: { product: Product }) {
  return (
    <PanelCard title="Pictures">
      <Group align="end" gap="sm">
        <ProductPicture src={imageLink} alt={title} size={220} />
        {additionalImageLinks.map((link) => (
          <ProductPicture key={link} src={link} alt={`${title}, another view`} size={72} />
        ))}
      </Group>
    </PanelCard>
  )
}

function offerOf(product: Product): Record<string, ReactNode> {
  const { price, salePrice, currency, isAvailable, availability, link, campaignIds, updatedAt } = product
  return {
    Price: <Money amount={price} currency={currency} />,
    'Sale price': salePrice !== null && <Money amount={salePrice} currency={currency} />,
    Availability: availability.replaceAll('_', ' '),
    'Available now': isAvailable ? 'Yes' : 'No',
    Brand: product.brand,
    Categories: product.productTypes.length > 0 && (
      <Stack gap={2}>
        {product.productTypes.map((path) => (
          <span key={path}>{path}</span>
        ))}
      </Stack>
    ),
    Page: (
      <Anchor href={link} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {link}
      </Anchor>
    ),
    Campaigns: campaignIds.length,
    Changed: <DateTime at={updatedAt} />,
  }
}

function fieldsOf(product: Product): Record<string, ReactNode> {
  const { labels, externalSellerId, externalSellerName, expiresAt } = product
  return {
    'Item group': product.itemGroupId,
    'Product id': product.productId,
    'System id': <CopyField value={product.systemProductId} label="System product id" />,
    GTIN: product.gtin,
    MPN: product.mpn,
    Condition: product.condition,
    Seller: externalSellerId && [externalSellerName, externalSellerId].filter(Boolean).join(', '),
    Labels: labels.length > 0 && (
      <Group gap={4}>
        {labels.map((label) => (
          <Badge key={label} variant="default" radius="sm" tt="none">
            {label}
          </Badge>
        ))}
      </Group>
    ),
    Expires: expiresAt && <DateTime at={expiresAt} />,
  }
}
