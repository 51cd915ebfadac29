import type { AdFormat } from '../../../client/types.ts'
import { BannersSection } from '../banners/banners-section.tsx'
import { AttributionSection, ProductsSection } from '../products/products-section.tsx'
import type { SectionProps } from './campaign-form.ts'
import { DestinationSection } from './destination-section.tsx'
import { TargetingSection } from './targeting-section.tsx'

/** What the campaign shows, by its kind. */
export function ContentSections({ formats, ...props }: SectionProps & { formats: readonly AdFormat[] | undefined }) {
  if (props.form.values.kind === 'SPONSORED') {
    return (
      <>
        <ProductsSection {...props} />
        <AttributionSection {...props} />
      </>
    )
  }
  return (
    <>
      <DestinationSection {...props} />
      <BannersSection {...props} formats={formats} />
      <TargetingSection {...props} />
      <AttributionSection {...props} />
    </>
  )
}
