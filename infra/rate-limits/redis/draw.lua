-- Draws from a bucket. KEYS: the bucket. ARGV: amount, per minute. Answers its level after the draw.
-- A bucket is stored as "level:time", in milliseconds of the clock of Redis, until it would be full again.
local MINUTE_MS = 60000
local key, amount, perMinute = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local level = perMinute
local stored = redis.call('GET', key)
if stored then
  local before, at = string.match(stored, '^(.+):(%d+)$')
  level = math.min(perMinute, before + math.max(0, now - at) * perMinute / MINUTE_MS)
end
level = level - amount
local fullInMs = math.ceil((perMinute - level) * MINUTE_MS / perMinute)
if fullInMs > 0 then
  redis.call('SET', key, string.format('%.3f:%.0f', level, now), 'PX', fullInMs)
end
return { string.format('%.3f', level) }
