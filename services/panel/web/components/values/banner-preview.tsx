import { Text } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { AdFormat } from '../../client/types.ts'
import { t } from '../../messages/fields.ts'
import classes from './banner-preview.module.css'

export interface BannerPreviewProps {
  format: Pick<AdFormat, 'name' | 'images' | 'textFields'>
  /** Addresses of the images, in the format's order. A missing image is shown as an empty box of its size. */
  imageUrls?: readonly (string | null | undefined)[]
  logoUrl?: string | null | undefined
  /** Values by type: `{ TITLE: 'Spring sale' }`. */
  texts: Readonly<Record<string, string>>
}

const ACRONYM_CHARS_MAX = 3

/** The path that serves an uploaded image. */
export const imageUrl = (imageId: string) => `/v1/images/${encodeURIComponent(imageId)}`

/** The parts of a banner: the images in their proportions, and the texts as a plain card. Each shop has its own layout. */
export function BannerPreview({ format, imageUrls = [], logoUrl, texts }: BannerPreviewProps) {
  const shown = format.textFields.filter(({ type }) => texts[type])
  return (
    <figure className={classes.banner} aria-label={t('bannerInFormat', { format: format.name })}>
      {format.images.map(({ name, width, height }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: images have nothing but their place
        <div key={i}>
          <div className={classes.frame} style={{ aspectRatio: `${width} / ${height}`, width }}>
            {imageUrls[i] ? (
              <img src={imageUrls[i]} width={width} height={height} alt={texts.TITLE || name || t('bannerImage')} />
            ) : (
              <span>{`${width} × ${height}`}</span>
            )}
          </div>
          <Text size="xs" c="dimmed" mt={2}>
            {[name, `${width} × ${height}`].filter(Boolean).join(', ')}
          </Text>
        </div>
      ))}
      {(shown.length > 0 || logoUrl) && <TextCard texts={texts} shown={shown} logoUrl={logoUrl} />}
    </figure>
  )
}

export interface CampaignBannerPreviewProps extends Pick<BannerPreviewProps, 'format'> {
  /** As it is stored, or as it is being edited: the id of a missing image is empty then. */
  banner: {
    images?: readonly { imageId: string }[]
    logoImageId?: string | null
    textFields?: readonly { type: string; value: string }[]
  }
}

/** The preview of a campaign's banner. */
export function CampaignBannerPreview({ format, banner }: CampaignBannerPreviewProps) {
  const { images = [], logoImageId, textFields = [] } = banner
  return (
    <BannerPreview
      format={format}
      imageUrls={images.map(({ imageId }) => imageId && imageUrl(imageId))}
      logoUrl={logoImageId && imageUrl(logoImageId)}
      texts={Object.fromEntries(textFields.map(({ type, value }) => [type, value]))}
    />
  )
}

interface TextCardProps extends Pick<BannerPreviewProps, 'texts' | 'logoUrl'> {
  shown: AdFormat['textFields']
}

function TextCard({ texts, shown, logoUrl }: TextCardProps) {
  const background = texts.BG_COLOR
  const style: CSSProperties = background ? { background, color: inkOn(background) } : {}
  return (
    <div className={classes.card} style={style}>
      {logoUrl && <img src={logoUrl} alt={t('logo')} className={classes.logo} />}
      {shown.map(({ type }) =>
        type.endsWith('_COLOR') ? (
          <span key={type} className={classes.color}>
            <span className={classes.swatch} style={{ background: texts[type] }} />
            {`${labelOf(type)} ${texts[type]}`}
          </span>
        ) : (
          <span key={type} className={classes.text} data-type={type}>
            {texts[type]}
          </span>
        ),
      )}
    </div>
  )
}

/** The label of a text field's type: BG_COLOR becomes 'Bg color'; CTA stays. */
export function labelOf(type: string): string {
  if (type.length <= ACRONYM_CHARS_MAX) return type
  const words = type.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Black or white, whichever has more contrast on a colour in the form #rgb, #rgba, #rrggbb or #rrggbbaa. */
function inkOn(color: string): string {
  const digits = color.slice(1)
  const each = digits.length < 6 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0] = each.slice(0, 3).map((pair) => (Number.parseInt(pair, 16) / 255) ** 2.2)
  // Relative luminance of WCAG 2. Black and white have equal contrast at 0.179.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
}
