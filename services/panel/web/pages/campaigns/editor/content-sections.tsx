import type { AdFormat } from '../../../client/types.ts'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { AttributionSection, ProductsSection } from '../products/products-section.tsx'
import type { SectionProps } from './campaign-form.ts'

/** Only display campaigns need the code that reads and crops pictures. */
const loadDisplay = () => import('./display-sections.tsx')
const DISPLAY_HEIGHT = 900

/** The sections for what the campaign shows, by its kind. */
export function ContentSections({ formats, ...props }: SectionProps & { formats: readonly AdFormat[] | undefined }) {
  return (
    <>
      {props.form.values.kind === 'SPONSORED' ? (
        <ProductsSection {...props} />
      ) : (
        <LazyPart load={loadDisplay} props={{ ...props, formats }} height={DISPLAY_HEIGHT} />
      )}
      <AttributionSection {...props} />
    </>
  )
}
