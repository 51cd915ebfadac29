import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { FormSection } from '../../../components/form/form-section.tsx'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import type { SectionProps } from '../editor/campaign-form.ts'
import { errorUnder } from '../editor/values/campaign-problems.ts'
import { ChosenProducts } from './chosen-products.tsx'
import { PastedIds } from './pasted-ids.tsx'
import { ProductCount } from './product-count.tsx'
import { ProductPicker } from './product-picker.tsx'
import { SellerFacts } from './seller-facts.tsx'

const loadRule = () => import('./product-rule.tsx')
const RULE_HEIGHT = 420

type Way = 'search' | 'paste' | 'rule'

/** Chooses the products of a sponsored campaign. */
export function ProductsSection({ form, shop, account }: SectionProps) {
  const { shopId, productsBy, products } = form.values
  const [way, setWay] = useState<Way>(productsBy === 'rule' ? 'rule' : 'search')
  const choose = (next: Way) => {
    setWay(next)
    form.setFieldValue('productsBy', next === 'rule' ? 'rule' : 'ids')
  }
  const setIds = (ids: string[]) => form.setFieldValue('products.ids', ids)
  const error = productsBy === 'ids' ? errorUnder(form.errors, 'products.ids') : undefined
  return (
    <FormSection title={t('products')} description={t('productsHelp')}>
      {shop && account?.kind === 'ADVERTISER' && <SellerFacts shop={shop} account={account} />}
      <SegmentedControl
        aria-label={t('howToChoose')}
        value={way}
        onChange={(value) => choose(value as Way)}
        data={[
          { value: 'search', label: t('bySearch') },
          { value: 'paste', label: t('byIds') },
          { value: 'rule', label: t('byRule') },
        ]}
      />
      {way === 'search' && <ProductPicker shopId={shopId} chosen={products.ids} onChange={setIds} />}
      {way === 'paste' && <PastedIds ids={products.ids} onChange={setIds} />}
      {way === 'rule' && <LazyPart load={loadRule} props={{ form, shop }} height={RULE_HEIGHT} />}
      {way !== 'rule' && <ChosenProducts shopId={shopId} ids={products.ids} onChange={setIds} />}
      <ProductCount
        values={form.values}
        onRemove={(unknown) => setIds(products.ids.filter((id) => !unknown.includes(id)))}
      />
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </FormSection>
  )
}

/** Chooses further products whose sales are attributed to the campaign. */
export function AttributionSection({ form }: SectionProps) {
  const { shopId, kind, attributionProductIds: ids } = form.values
  const isSponsored = kind === 'SPONSORED'
  const [isOpen, setOpen] = useState(ids.length > 0)
  const setIds = (next: string[]) => form.setFieldValue('attributionProductIds', next)
  return (
    <FormSection
      title={t('attribution')}
      description={isSponsored ? t('attributionHelp') : t('attributionHelpDisplay')}
    >
      <Stack gap="sm">
        <SegmentedControl
          aria-label={t('creditedProducts')}
          value={isOpen ? 'more' : 'own'}
          onChange={(value) => {
            setOpen(value === 'more')
            if (value === 'own') setIds([])
          }}
          data={[
            { value: 'own', label: isSponsored ? t('onlyAdvertised') : t('onlyNone') },
            { value: 'more', label: isSponsored ? t('alsoOthers') : t('chosenProductsCredited') },
          ]}
        />
        {isOpen && (
          <>
            <ProductPicker shopId={shopId} chosen={ids} onChange={setIds} />
            <PastedIds ids={ids} onChange={setIds} />
            <ChosenProducts shopId={shopId} ids={ids} onChange={setIds} />
          </>
        )}
        {errorUnder(form.errors, 'attributionProductIds') && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {errorUnder(form.errors, 'attributionProductIds')}
          </Text>
        )}
      </Stack>
    </FormSection>
  )
}
