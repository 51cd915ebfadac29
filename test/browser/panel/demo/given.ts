import type { Browser } from 'playwright-core'
import { waitFor } from '../../../wait-for.ts'
import type { RunningDemo } from '../../demo.ts'

/** What the tests of the demo share. A test that restarts the demo puts the new one here. */
export interface Given {
  demo: RunningDemo
  browser: Browser
}

/** The password of every user of the demo. */
export const PASSWORD = 'try-the-aisle-today'

/** Waits until the streams have processed what was loaded. */
export const untilStored = ({ demo }: Given): Promise<void> =>
  waitFor(async () => {
    const { logged, stored } = await demo.api<{ logged: number; stored: number }>('/v1/panel/audit')
    return logged === stored
  })

export const shopIdOf = async ({ demo }: Given): Promise<string> =>
  (await demo.api<{ items: { id: string }[] }>('/v1/panel/shops')).items[0]!.id
