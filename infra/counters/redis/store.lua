-- Applies a batch to one shard, wholly or not at all: nothing is written before every check has passed.
--
-- KEYS: position, note, seen token; then the hashes, blocks and holders in the order in which ARGV names what becomes of them
-- ARGV: after, upTo, whether there is a note, note, seen token expected, new seen token | "" when nothing is seen;
--   groups:   how many, then of each: kept until | "", hashes of one field, hashes of several,
--             field and amount of each of the former, number of fields, fields and amounts of each of the latter;
--   in order: how many, then of each: ADD | LOWER, kept until | "", field, amount;
--   blocks:   how many, then of each: kept until | "", bytes that are appended;
--   released: how many, then the holder of each
-- Reply: nothing, or an error COUNTERS_MOVED (another position), COUNTERS_STALE (another seen token).
local BLOCK_BYTES = 4096

local at = redis.call('GET', KEYS[1]) or '-1'
if at ~= ARGV[1] then return redis.error_reply('COUNTERS_MOVED ' .. KEYS[1] .. ' is ' .. at .. ', not ' .. ARGV[1]) end
if ARGV[6] ~= '' and (redis.call('GET', KEYS[3]) or '') ~= ARGV[5] then
  return redis.error_reply('COUNTERS_STALE seen keys have changed')
end

-- First what a full Redis refuses.
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[3] == '1' then redis.call('SET', KEYS[2], ARGV[4]) end
if ARGV[6] ~= '' then redis.call('SET', KEYS[3], ARGV[6]) end

-- Numbers of Lua are doubles, exact up to 2^53; its own text of them has only 14 digits.
local function text(number) return string.format('%.0f', number) end
local function keep(key, kept_until)
  if kept_until ~= '' then redis.call('PEXPIREAT', key, kept_until, 'NX') end
end

local call = redis.call
local k, i = 3, 7
local function key()
  k = k + 1
  return KEYS[k]
end
local function argument()
  i = i + 1
  return ARGV[i - 1]
end

local function raise(hash, kept_until, field, amount)
  local value = call('HINCRBY', hash, field, amount)
  -- Only a hash whose field is new can be new.
  if kept_until ~= '' and value == tonumber(amount) then keep(hash, kept_until) end
  if value < 0 then call('HSET', hash, field, 0) end
end

local function raise_several(hash, kept_until)
  local count = tonumber(argument())
  local values = call('HMGET', hash, unpack(ARGV, i, i + count - 1))
  local fields, is_new = {}, false
  for n = 1, count do
    local former, amount = values[n], ARGV[i + count + n - 1]
    fields[2 * n - 1] = ARGV[i + n - 1]
    fields[2 * n] = former and text(former + amount) or amount
    if not former then is_new = true end
  end
  call('HSET', hash, unpack(fields))
  if is_new then keep(hash, kept_until) end
  i = i + 2 * count
end

for _ = 1, tonumber(argument()) do
  local kept_until, single, several = argument(), tonumber(argument()), tonumber(argument())
  for n = 1, single do raise(KEYS[k + n], kept_until, ARGV[i + 2 * n - 2], ARGV[i + 2 * n - 1]) end
  k, i = k + single, i + 2 * single
  for _ = 1, several do raise_several(key(), kept_until) end
end

for _ = 1, tonumber(argument()) do
  local hash, change, kept_until, field, amount = key(), argument(), argument(), argument(), argument()
  if change == 'ADD' then
    raise(hash, kept_until, field, amount)
  else
    local value = tonumber(redis.call('HGET', hash, field) or '0')
    if value == 0 or value > tonumber(amount) then
      redis.call('HSET', hash, field, amount)
      keep(hash, kept_until)
    end
  end
end

for _ = 1, tonumber(argument()) do
  local block, kept_until, bytes = key(), argument(), argument()
  local length = redis.call('APPEND', block, bytes)
  if length == #bytes then keep(block, kept_until) end
  -- A string that grows has room to grow further: one that is full is written anew, without.
  if length >= BLOCK_BYTES then redis.call('SET', block, redis.call('GET', block), 'KEEPTTL') end
end

for _ = 1, tonumber(argument()) do redis.call('HDEL', key(), argument()) end
