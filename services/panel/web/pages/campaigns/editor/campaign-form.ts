import type { UseFormReturnType } from '@mantine/form'
import type { Account, Shop } from '../../../client/types.ts'
import type { CampaignValues } from './values/campaign-values.ts'

export type CampaignForm = UseFormReturnType<CampaignValues>

/** The props of each section of the form. */
export interface SectionProps {
  form: CampaignForm
  /** The shop chosen in the form. */
  shop: Shop | undefined
  /** The account that pays; undefined while it is loading. */
  account: Account | undefined
  /** An existing campaign cannot change its kind, shop and account. */
  isNew: boolean
}
