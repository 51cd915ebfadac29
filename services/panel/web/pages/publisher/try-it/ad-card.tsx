import { Anchor, Badge, Group, Paper, Skeleton, Text } from '@mantine/core'
import type { AdFormat, ExplainedEmission } from '../../../client/types.ts'
import { ShopLink } from '../../../components/page/shop-link.tsx'
import { BannerPreview } from '../../../components/values/banner-preview.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatScore, formatShare } from '../../../components/values/numbers.ts'
import { ProductPicture } from '../../../components/values/product-picture.tsx'
import { t } from '../../../messages/pages/shop/try-it.ts'
import { useShop } from '../../../session/shop-context.tsx'
import type { DisplayAd, SponsoredAd } from './ad-request.ts'
import classes from './try-it.module.css'

type Why = ExplainedEmission['slots'][number]['ads'][number]

interface CardProps<Ad> {
  ad: Ad
  /** The ad's position, from 1. */
  position: number
  /** Undefined while it is loading. */
  why: Why | undefined
  /** The explanation is overdue, and is no longer polled. */
  isLate: boolean
}

/** A sponsored product as a shopper would see it, and why it was chosen. */
export function AdCard({ ad, position, why, isLate }: CardProps<SponsoredAd>) {
  const { productTitle, productPrice, productSalePrice, currency, productImageUrl, shopProductId } = ad
  return (
    <Paper withBorder component="article" className={classes.ad}>
      <Head position={position} autoPromo={ad.autoPromo} />
      <Group justify="center">
        <ProductPicture src={productImageUrl} size={120} />
      </Group>
      <ShopLink
        shopId={ad.shopId}
        to={`/products/${encodeURIComponent(shopProductId)}`}
        size="sm"
        fw={500}
        lineClamp={2}
        h={44}
      >
        {productTitle}
      </ShopLink>
      <Group gap={6}>
        <Text size="sm" fw={600}>
          <Money amount={productSalePrice} currency={currency} />
        </Text>
        {productSalePrice < productPrice && (
          <Text size="xs" c="dimmed" td="line-through">
            <Money amount={productPrice} currency={currency} />
          </Text>
        )}
      </Group>
      <WhyThis why={why} isLate={isLate} shopId={ad.shopId} isByClick />
    </Paper>
  )
}

export interface BannerCardProps extends CardProps<DisplayAd> {
  formats: readonly AdFormat[]
}

/** A banner in its format, and why it was chosen. */
export function BannerCard({ ad, position, why, isLate, formats }: BannerCardProps) {
  const format = formats.find(({ id }) => id === ad.adFormatId)
  const texts = Object.fromEntries(ad.textFields.map(({ type, value }) => [type, value]))
  return (
    <Paper withBorder component="article" className={classes.ad}>
      <Head position={position} autoPromo={ad.autoPromo} />
      {format && (
        <BannerPreview
          format={format}
          imageUrls={ad.images.map((image) => image.imageUrl)}
          logoUrl={ad.bannerLogoUrl}
          texts={texts}
        />
      )}
      <Anchor href={ad.bannerUrl} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {ad.bannerUrl}
      </Anchor>
      <WhyThis why={why} isLate={isLate} shopId={ad.shopId} isByClick={false} />
    </Paper>
  )
}

function Head({ position, autoPromo }: { position: number; autoPromo: boolean }) {
  return (
    <Group justify="space-between" gap={4}>
      <Badge variant="default" radius="sm" tt="none">
        {t('position', { position })}
      </Badge>
      <Badge variant="light" color={autoPromo ? 'teal' : 'indigo'} radius="sm" tt="none">
        {autoPromo ? t('ownPromotion') : t('sponsored')}
      </Badge>
    </Group>
  )
}

interface WhyThisProps extends Pick<CardProps<unknown>, 'why' | 'isLate'> {
  /** Bids and prices are in the currency of the shop, that of the product may be another. */
  shopId: string
  /** Clicks are billed, not views. */
  isByClick: boolean
}

function WhyThis({ why, isLate, shopId, isByClick }: WhyThisProps) {
  const currency = useShop().shops?.find(({ id }) => id === shopId)?.currency
  if (!why) {
    return (
      <div className={classes.why} role="status" aria-label={isLate ? t('noExplanation') : t('whyLoading')}>
        {!isLate && [70, 90, 85, 80].map((width) => <Skeleton key={width} height={11} my={7} width={`${width}%`} />)}
      </div>
    )
  }
  const { campaignName, autoPromo, relevance, predictedClickRate, lift, bid, price, rankScore } = why
  return (
    <div className={classes.why}>
      <Text size="xs" fw={600} truncate title={campaignName ?? ''}>
        {campaignName ?? t('whyThis')}
      </Text>
      <dl className={classes.factors}>
        {isByClick && (
          <>
            <dt>{t('relevance')}</dt>
            <dd>{formatShare(relevance)}</dd>
            <dt>{t('predictedCtr')}</dt>
            <dd>{formatShare(predictedClickRate)}</dd>
            {lift !== 1 && (
              <>
                <dt>{t('liftForWords')}</dt>
                <dd>{t('liftTimes', { lift: formatScore(lift) })}</dd>
              </>
            )}
          </>
        )}
        <dt>{isByClick ? t('bid') : t('cpmBid')}</dt>
        <dd>{autoPromo ? t('free') : <Money amount={bid} currency={currency} />}</dd>
        {isByClick && (
          <>
            <dt>{t('rank')}</dt>
            <dd>{formatScore(rankScore)}</dd>
          </>
        )}
        <dt>{isByClick ? t('pricePerClick') : t('cpm')}</dt>
        <dd>
          <b>{autoPromo ? t('free') : <Money amount={price} currency={currency} />}</b>
        </dd>
      </dl>
    </div>
  )
}
