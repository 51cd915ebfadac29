import type { UseFormReturnType } from '@mantine/form'
import type { Account, Shop } from '../../../client/types.ts'
import type { CampaignValues } from './values/campaign-values.ts'

export type CampaignForm = UseFormReturnType<CampaignValues>

/** What the parts of the form work on. */
export interface SectionProps {
  form: CampaignForm
  /** The shop that is chosen in the form. */
  shop: Shop | undefined
  /** Who pays; undefined until it is known. */
  account: Account | undefined
  /** A campaign that there is already keeps its kind, shop and account. */
  isNew: boolean
}
