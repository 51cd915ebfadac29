import { TechnicalSlotItem, TechnicalSlotQuery } from '../../../schemas/http/slots.ts'
import { entityFields } from '../resources/conversions.ts'
import type { ReadableResource } from '../resources/resource.ts'
import { technicalSlotView } from './slots.ts'

/** Technical ad units for the panel to read. They are made and changed by `/v1/slots/technical`. */
export const technicalSlots: ReadableResource<'TechnicalSlot'> = {
  kind: 'TechnicalSlot',
  path: 'technical-slots',
  schemas: { view: TechnicalSlotItem, query: TechnicalSlotQuery },
  views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...technicalSlotView(entity) })),
}
