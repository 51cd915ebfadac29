import type { Pacing } from './pacing.ts'
import classes from './spend-bar.module.css'

const percent = new Intl.NumberFormat(undefined, { style: 'percent' })

/** Spend against the budget, with a mark where even pacing would be now. */
export function SpendBar({ pacing: { spentShare, timeShare } }: { pacing: Pacing }) {
  const time = timeShare === null ? '' : `, ${percent.format(timeShare)} of the time is over`
  const spent =
    spentShare === null
      ? 'What is spent cannot be told at the moment'
      : `${percent.format(spentShare)} of the budget is spent`
  return (
    <div className={classes.bar} role="img" aria-label={`${spent}${time}`}>
      {spentShare !== null && (
        <div className={classes.spent} data-full={spentShare >= 1} style={{ width: `${spentShare * 100}%` }} />
      )}
      {timeShare !== null && <div className={classes.time} style={{ insetInlineStart: `${timeShare * 100}%` }} />}
    </div>
  )
}
