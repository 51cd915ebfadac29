import { t } from '../../../../messages/pages/campaigns/editor.ts'
import type { TargetingValues } from './campaign-values.ts'

/** The lists that restrict where banners are shown, in the order of the form. */
export const targetingLists: { name: keyof TargetingValues; label: string; description: string }[] = [
  { name: 'phrases', label: t('phrases'), description: t('phrasesHelp') },
  { name: 'categoryPaths', label: t('categoryPaths'), description: t('categoryPathsHelp') },
  { name: 'brands', label: t('brands'), description: t('brandsHelp') },
  { name: 'productIds', label: t('productIds'), description: t('productIdsHelp') },
  { name: 'profiles', label: t('profiles'), description: t('profilesHelp') },
  { name: 'refererPatterns', label: t('refererPatterns'), description: t('refererPatternsHelp') },
]
