import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../../messages/pages/campaigns/products.ts'
import { productCountQuery } from '../products/product-count.tsx'
import type { CampaignValues } from './values/campaign-values.ts'

/**
 * Checks that an active campaign promotes at least one product. Returns errors by field; none if the server cannot tell, as while
 * products are being indexed.
 */
export function useProductCheck() {
  const queryClient = useQueryClient()
  return async (values: CampaignValues): Promise<Record<string, string>> => {
    if (values.kind !== 'SPONSORED' || values.status !== 'ACTIVE') return {}
    const count = await queryClient.fetchQuery(productCountQuery(values)).catch(() => null)
    if (count?.matching !== 0 || count.indexing) return {}
    return { [values.productsBy === 'rule' ? 'products.rule' : 'products.ids']: t('nothingMatches') }
  }
}

/** Focuses the first error, waiting if the code of its section is still loading. @returns a function that stops waiting. */
export function focusError(within: HTMLElement): () => void {
  const observer = new MutationObserver(() => focusFirstError(within) && observer.disconnect())
  if (!focusFirstError(within)) observer.observe(within, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/** Focuses the first field with an error, or the first error without a field. @returns whether there is one. */
function focusFirstError(within: HTMLElement): boolean {
  const found =
    within.querySelector<HTMLElement>('input[aria-invalid="true"], textarea[aria-invalid="true"]') ??
    within.querySelector<HTMLElement>('[role="alert"], .mantine-InputWrapper-error')
  if (!found) return false
  if (!(found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement)) found.tabIndex = -1
  found.focus()
  found.scrollIntoView({ block: 'center' })
  return true
}
