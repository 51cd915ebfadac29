import type { Campaign } from '../../../../schemas/records/entities.ts'
import { NO_TARGETING } from '../display/display-world.ts'

/** What makes a campaign one of banners that may run. Each view of them is billed. */
export const DISPLAY: Partial<Campaign> = {
  kind: 'DISPLAY',
  cpcMicros: 0,
  country: 'DE',
  targetUrl: 'https://brand.example',
  targeting: NO_TARGETING,
  moderation: { state: 'ACCEPTED', reason: null, decidedAt: 0, decidedBy: '', history: [], submittedAt: 0 },
}
