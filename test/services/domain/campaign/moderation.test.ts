import { expect, it } from 'vitest'
import type { Banner, ModerationDecision } from '../../../../schemas/records/entities.ts'
import { afterChange, afterDecision, submitted, waitingSince } from '../../../../services/domain/campaign/moderation.ts'
import { campaignBody } from '../../../streams/judge/fixtures.ts'

const accepted: ModerationDecision = { state: 'ACCEPTED', reason: null, decidedAt: 7, decidedBy: 'shop', version: 1 }
const banner: Banner = {
  id: 'b',
  adFormatId: 'f',
  images: [{ imageId: 'i', width: 1, height: 2 }],
  logoImageId: null,
  textFields: [{ type: 'TITLE', value: 'Lamps' }],
  lang: null,
}
const campaign = campaignBody({
  kind: 'DISPLAY',
  targetUrl: 'https://a.example/',
  banners: [banner],
  moderation: afterDecision(submitted(3), accepted),
})

it('is what was decided last, and remembers all decisions', () => {
  const rejected = { ...accepted, state: 'REJECTED', reason: 'no', decidedAt: 9, version: 2 } as const
  const { state, reason, decidedAt, decidedBy } = rejected
  const history = [accepted, rejected]
  const decided = { state, reason, decidedAt, decidedBy, history, submittedAt: 3 }
  expect(afterDecision(campaign.moderation!, rejected)).toEqual(decided)
})

it('remembers the latest 100', () => {
  let moderation = submitted(0)
  for (let at = 1; at <= 150; at++) moderation = afterDecision(moderation, { ...accepted, decidedAt: at })
  expect(moderation.history.map(({ decidedAt }) => decidedAt)).toEqual(Array.from({ length: 100 }, (_, i) => i + 51))
})

it.each([
  ['the target', { targetUrl: 'https://b.example/' }],
  ['the link into an app', { mobileDeepLink: 'app://b' }],
  ['a text', { banners: [{ ...banner, textFields: [{ type: 'TITLE', value: 'Lamp' }] }] }],
  ['an image', { banners: [{ ...banner, images: [{ imageId: 'j', width: 1, height: 2 }] }] }],
  ['a logo', { banners: [{ ...banner, logoImageId: 'j' }] }],
  ['another banner', { banners: [banner, { ...banner, id: 'c' }] }],
])('begins anew with a change of %s', (_name, change) => {
  const { history } = campaign.moderation!
  expect(afterChange(campaign, { ...campaign, ...change }, 8)).toEqual(submitted(8, history))
})

it.each([
  ['the money', { budgetMicros: 1, cpmMicros: 2, dailyBudgetMicros: 1 }],
  ['the time', { startAt: 1, endAt: 2, status: 'PAUSED' as const }],
  ['the targeting', { country: 'PL', capping: 2 }],
  ['the same creative, said again', { banners: [structuredClone(banner)], targetUrl: 'https://a.example/' }],
])('stays as it is after a change of %s', (_name, change) => {
  expect(afterChange(campaign, { ...campaign, ...change }, 8)).toEqual(campaign.moderation)
})

it('is none of sponsored campaigns', () => {
  const sponsored = campaignBody()
  expect(afterChange(sponsored, { ...sponsored, targetUrl: 'x' }, 8)).toBeNull()
})

it('waits since the creative was submitted, or since the last change when an earlier version took it in', () => {
  const waits = (submittedAt: number | null) => ({ ...submitted(3), submittedAt })
  expect(waitingSince({ body: { moderation: waits(3) }, updatedAt: 9 })).toBe(3)
  expect(waitingSince({ body: { moderation: waits(null) }, updatedAt: 9 })).toBe(9)
})
