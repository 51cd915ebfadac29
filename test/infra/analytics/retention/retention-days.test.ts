import { expect, it } from 'vitest'
import { readRetentionDays } from '../../../../infra/analytics/retention/retention-days.ts'

const read = (text: string) => {
  const problems: string[] = []
  return { wanted: readRetentionDays('KEY', text, problems), problems }
}

it('names the tables that forget their rows', () => {
  expect(read(' page-views:90 ')).toEqual({ wanted: { page_views: 90 }, problems: [] })
  expect(read('page-views:90,emissions:90').wanted).toEqual({ page_views: 90, emissions: 90 })
  expect(read('')).toEqual({ wanted: {}, problems: [] })
})

it.each([
  ['page-views:59', 'KEY: page-views must be kept for 60 to 10000 days, not 59'],
  ['page-views:10001', 'KEY: page-views must be kept for 60 to 10000 days, not 10001'],
  ['emissions:36501', 'KEY: emissions must be kept for 60 to 36500 days, not 36501'],
  ['emissions:59', 'KEY: emissions must be kept for 60 to 36500 days, not 59'],
  ['page-views:90,page-views:90', 'KEY names page-views twice'],
  ['page-views=90', 'KEY must be a list of topic:days, separated by commas, not "page-views=90"'],
  [
    'transactions:400',
    /^KEY: only page-views, emissions can be named, not transactions: reports under other attribution models/,
  ],
  ['security-events:30', /SECURITY_LOG_DAYS/],
  ['images:30', /^KEY: only page-views, emissions can be named, not images$/],
])('refuses %s', (text, problem) => {
  const { wanted, problems } = read(text)
  expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
  expect(Object.values(wanted).every((days) => days === 90)).toBe(true)
})
