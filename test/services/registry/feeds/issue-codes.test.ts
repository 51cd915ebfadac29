import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FeedRunView } from '../../../../schemas/http/panel/shops/feed-runs.ts'
import { whyNotCodes } from '../../../../services/domain/campaign/why-not.ts'
import { FAILURE_CODES } from '../../../../services/registry/feeds/failure.ts'
import { issueCodes } from '../../../../services/registry/feeds/issue-codes.ts'

const page = readFileSync(new URL('../../../../docs/feeds.md', import.meta.url), 'utf8')

/** The cells of the table under a heading of docs/feeds.md. */
function table(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!
  return section
    .split('\n')
    .filter((line) => /^\| [A-Z_]+ \|/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

it('documents every issue code, and no other', () => {
  const coded = Object.entries(issueCodes).map(([code, { severity, meaning }]) => [code, severity, meaning])
  expect(table('Issues')).toEqual(coded)
})

it('documents every outcome of a run and every kind of failure, and no other', () => {
  const { enum: outcomes } = FeedRunView.properties.outcome as unknown as { enum: string[] }
  expect(table('Outcomes').map(([code]) => code)).toEqual(outcomes)
  expect(table('Failures').map(([code]) => code)).toEqual([...FAILURE_CODES])
})

it('documents every reason why a product is not shown, and no other', () => {
  expect(table('Why a product').map(([code]) => code)).toEqual([...whyNotCodes])
})
