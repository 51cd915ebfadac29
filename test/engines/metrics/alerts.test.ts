import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const RULES = join(root, 'infra/metrics/alerts.yaml')
/** Unpacked by infra/local/engines.sh. */
const PROMTOOL = join(root, '.engines/promtool/promtool')
const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] }
const alerts = groups.flatMap((group) => group.rules.map(({ alert }) => alert))

/** Series by the minute, in the notation of promtool: `2+10x60` begins at 2 and grows by 10 in each of the 60 minutes that follow. */
type Series = Readonly<Record<string, string>>

const WELL: Series = {
  'endcap_stream_lag_seconds{stream="sink"}': '10+0x1600',
  'endcap_stream_lag_seconds{stream="signals"}': '300+0x1600',
  'endcap_stream_lag_stale_seconds{stream="judge"}': '0+0x1600',
  'endcap_stream_lag_records{stream="sink"}': '900+0x1600',
  'endcap_stream_partitions{stream="sink",topic="emissions",instance="a"}': '6+0x1600',
  'endcap_stream_partitions{stream="sink",topic="emissions",instance="b"}': '6+0x1600',
  'endcap_stream_paused_partitions{stream="sink",topic="emissions"}': '0+0x1600',
  endcap_dead_letters: '3+0x1600',
  endcap_spool_records: '0+0x1600',
  endcap_spool_bytes: '0+0x1600',
  endcap_emissions_lost_total: '0+0x1600',
  endcap_emission_queue_records: '100+0x1600',
  'endcap_events_accepted_total{type="ad-events"}': '0+1000x1600',
  'endcap_events_rejected_total{type="element",code="INVALID"}': '0+1x1600',
  endcap_event_repeats_left_out_total: '0+1x1600',
  'endcap_requests_limited_total{limit="addressRequestsPerMinute"}': '0+0x1600',
  'endcap_http_request_duration_seconds_count{route="/v1/ev/batch",status="202"}': '0+1000x1600',
  'endcap_http_request_duration_seconds_count{route="/health/ready",status="503"}': '0+12x1600',
  'endcap_http_failures_total{route="/v1/ev/batch",status="503"}': '0+0x1600',
  'endcap_http_failures_total{route="/health/ready",status="503"}': '0+12x1600',
  'endcap_http_request_duration_seconds_bucket{route="/v1/ev/batch",le="0.1"}': '0+1000x1600',
  'endcap_http_request_duration_seconds_bucket{route="/v1/ev/batch",le="0.25"}': '0+1000x1600',
  'endcap_http_request_duration_seconds_bucket{route="/v1/ev/batch",le="+Inf"}': '0+1000x1600',
  'endcap_selection_duration_seconds_bucket{le="0.1"}': '0+1000x1600',
  'endcap_selection_duration_seconds_bucket{le="+Inf"}': '0+1000x1600',
  'endcap_selection_shortfalls_total{kind="SPONSORED",reason="DEADLINE"}': '0+0x1600',
}
const A_DAY = 1_440

/** What differs from a system that is well, and for how many minutes, until the alert fires. */
const faults: Readonly<Record<string, { series: Series; minutes: number }>> = {
  StreamBehind: { series: { 'endcap_stream_lag_seconds{stream="judge"}': '61+0x60' }, minutes: 6 },
  LagUnknown: { series: { 'endcap_stream_lag_stale_seconds{stream="judge"}': '61+0x60' }, minutes: 6 },
  SignalsBehind: { series: { 'endcap_stream_lag_seconds{stream="signals"}': '901+0x60' }, minutes: 6 },
  PhraseLiftsBehind: { series: { 'endcap_stream_lag_seconds{stream="phrase-lifts"}': '3601+0x60' }, minutes: 6 },
  RetentionWaits: { series: { 'endcap_stream_lag_seconds{stream="identifiers"}': '86401+0x60' }, minutes: 1 },
  StreamLagGrows: { series: { 'endcap_stream_lag_records{stream="sink"}': '900+50x60' }, minutes: 15 },
  PartitionsUnworked: {
    series: { 'endcap_stream_partitions{stream="sink",topic="emissions",instance="b"}': '6+0x1439 _x60' },
    minutes: A_DAY + 30,
  },
  PartitionsPaused: {
    series: { 'endcap_stream_paused_partitions{stream="sink",topic="emissions"}': '1+0x60' },
    minutes: 31,
  },
  DeadLetters: { series: { endcap_dead_letters: '3+0x20 4+0x40' }, minutes: 25 },
  EventsSpooled: { series: { endcap_spool_records: '1+0x60' }, minutes: 2 },
  SpoolHalfFull: { series: { endcap_spool_bytes: '536870913+0x60' }, minutes: 1 },
  EmissionsLost: { series: { endcap_emissions_lost_total: '0+0x20 1+0x40' }, minutes: 25 },
  EmissionsQueued: { series: { endcap_emission_queue_records: '10001+0x60' }, minutes: 1 },
  NoEvents: {
    series: {
      'endcap_events_accepted_total{type="ad-events"}': '0+1000x1400 1400000+0x200',
      'endcap_events_rejected_total{type="element",code="INVALID"}': '0+0x1600',
      endcap_event_repeats_left_out_total: '0+0x1600',
    },
    minutes: A_DAY + 20,
  },
  EventsRejected: { series: { 'endcap_events_rejected_total{type="element",code="INVALID"}': '0+11x60' }, minutes: 40 },
  EventsRepeated: { series: { endcap_event_repeats_left_out_total: '0+11x60' }, minutes: 40 },
  RequestsLimited: {
    series: { 'endcap_requests_limited_total{limit="addressRequestsPerMinute"}': '0+0x20 1+0x40' },
    minutes: 25,
  },
  RequestsFail: {
    series: { 'endcap_http_failures_total{route="/v1/ev/batch",status="503"}': '0+2x60' },
    minutes: 15,
  },
  EventsSlow: {
    series: {
      'endcap_http_request_duration_seconds_bucket{route="/v1/dsa/view-event",le="0.25"}': '0+20x60',
      'endcap_http_request_duration_seconds_bucket{route="/v1/dsa/view-event",le="+Inf"}': '0+20x60',
    },
    minutes: 15,
  },
  SelectionSlow: {
    series: {
      'endcap_selection_duration_seconds_bucket{le="0.1"}': '0+980x60',
      'endcap_selection_duration_seconds_bucket{le="0.2"}': '0+1000x60',
    },
    minutes: 15,
  },
  SelectionMissesDeadline: {
    series: { 'endcap_selection_shortfalls_total{kind="SPONSORED",reason="DEADLINE"}': '0+1x60' },
    minutes: 15,
  },
}

it('knows a fault for each alert', () => {
  expect(Object.keys(faults).sort()).toEqual(alerts.toSorted())
})

describe('promtool', () => {
  it('fires no alert while all is well', () => testRules(WELL, A_DAY + 30, []))

  it.each(Object.entries(faults))('fires %s, and nothing else', (alert, { series, minutes }) =>
    testRules({ ...WELL, ...series }, minutes, [alert]),
  )
})

/** @throws with promtool's output when other alerts fire at that minute. */
function testRules(series: Series, minutes: number, firing: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-alerts-'))
  try {
    const file = join(folder, 'test.json')
    const expected = firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }))
    const test = {
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minutes}m`,
          exp_samples: expected,
        },
      ],
    }
    const interval = minutes > A_DAY ? '10m' : '1m'
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: interval, tests: [test] }))
    execFileSync(PROMTOOL, ['test', 'rules', file], { encoding: 'utf8', stdio: 'pipe' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
