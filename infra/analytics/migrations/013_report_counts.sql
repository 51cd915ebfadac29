-- How many rows each quarter of an hour has, in every part by itself and so always true of what is stored: by it a report knows which
-- of the counts below still hold. 900000 ms: every zone's offset is a multiple of it.
ALTER TABLE judged_events ADD PROJECTION IF NOT EXISTS rows_by_quarter (
  SELECT shopId, intDiv(occurredAt, 900000), count() GROUP BY shopId, intDiv(occurredAt, 900000));
ALTER TABLE emissions ADD PROJECTION IF NOT EXISTS rows_by_quarter (
  SELECT shopId, intDiv(occurredAt, 900000), count() GROUP BY shopId, intDiv(occurredAt, 900000));
-- In the background; parts that have none yet are counted as they are.
ALTER TABLE judged_events MATERIALIZE PROJECTION rows_by_quarter SETTINGS mutations_sync = 0;
ALTER TABLE emissions MATERIALIZE PROJECTION rows_by_quarter SETTINGS mutations_sync = 0;

-- What reports count, added up over hours and days of the shops' clocks (infra/analytics/queries/report-counts.ts). `fact` is event,
-- request, slot or ad, of which there are `facts`; the other counts are of events. `cut` says by what they are added up. A cell is
-- [startAt, endAt). A count of it under a higher version takes the place of the one before, whole: it is one insert into one part, and
-- has all the groups of the one before, because rows are only ever added and say the same of an event each time.
CREATE TABLE IF NOT EXISTS report_counts (
  fact LowCardinality(String), cut LowCardinality(String), shopId String, startAt Int64, endAt Int64,
  campaignId LowCardinality(String), accountId LowCardinality(String), adId String, isDisplay UInt8,
  adUnitId LowCardinality(String), algorithm LowCardinality(String), country LowCardinality(Nullable(String)),
  currency LowCardinality(String),
  facts Int64, grossViews Int64, grossClicks Int64, views Int64, clicks Int64, marked Int64, invalid Int64,
  invalidBot Int64, invalidDuplicate Int64, invalidExpired Int64, invalidReplayed Int64, invalidCapped Int64,
  invalidOverBudget Int64, invalidTraffic Int64, invalidVoided Int64,
  invalidAddressClicks Int64, invalidAgentClicks Int64, invalidNetworkClicks Int64, invalidAddressPeople Int64,
  invalidAddressViews Int64, invalidCidClicks Int64, invalidCidViews Int64, invalidClicksOnly Int64, invalidTooFast Int64,
  invalidNoView Int64, spend Int128, creditedBack Int128,
  version Int64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYear(fromUnixTimestamp64Milli(startAt, 'UTC'))
PRIMARY KEY (fact, cut, shopId, startAt)
ORDER BY (fact, cut, shopId, startAt, endAt, campaignId, adUnitId, algorithm, country, currency, accountId, isDisplay, adId)
SETTINGS allow_nullable_key = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- Which cells of report_counts are counted, from how many stored rows. A cell holds while as many are stored: rows only ever come.
CREATE TABLE IF NOT EXISTS report_cells (
  source LowCardinality(String), grain LowCardinality(String), shopId String, startAt Int64, endAt Int64,
  storedRows Int64, countedAt Int64
) ENGINE = ReplacingMergeTree(storedRows)
ORDER BY (source, grain, shopId, startAt, endAt)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
