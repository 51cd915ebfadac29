import type { Pacing } from './pacing.ts'
import classes from './spend-bar.module.css'

const percent = new Intl.NumberFormat(undefined, { style: 'percent' })

/** Spend against the budget, with a mark where an even spend would be by now. */
export function SpendBar({ pacing: { spentShare, timeShare } }: { pacing: Pacing }) {
  const time = timeShare === null ? '' : `, ${percent.format(timeShare)} of the time is over`
  return (
    <div className={classes.bar} role="img" aria-label={`${percent.format(spentShare)} of the budget is spent${time}`}>
      <div className={classes.spent} data-full={spentShare >= 1} style={{ width: `${spentShare * 100}%` }} />
      {timeShare !== null && <div className={classes.time} style={{ insetInlineStart: `${timeShare * 100}%` }} />}
    </div>
  )
}
