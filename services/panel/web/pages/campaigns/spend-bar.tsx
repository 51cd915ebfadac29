import { t } from '../../messages/pages/campaigns/campaigns.ts'
import type { Pacing } from './spend.ts'
import classes from './spend-bar.module.css'

const percent = new Intl.NumberFormat(undefined, { style: 'percent' })

/** Spend against the budget, with a mark where even pacing would be now. */
export function SpendBar({ pacing: { spentShare, timeShare } }: { pacing: Pacing }) {
  const spent = spentShare === null ? t('spentUnknown') : t('shareSpent', { share: percent.format(spentShare) })
  const label = timeShare === null ? spent : t('shareOfTime', { spent, share: percent.format(timeShare) })
  return (
    <div className={classes.bar} role="img" aria-label={label}>
      {spentShare !== null && (
        <div className={classes.spent} data-full={spentShare >= 1} style={{ width: `${spentShare * 100}%` }} />
      )}
      {timeShare !== null && <div className={classes.time} style={{ insetInlineStart: `${timeShare * 100}%` }} />}
    </div>
  )
}
