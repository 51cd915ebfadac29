-- Applies a batch to one shard, wholly or not at all: nothing is written before every check has passed.
--
-- KEYS: position, note, seen token, token of changes; then hashes, blocks and holders, in the order in which ARGV changes them
-- ARGV: after, upTo, whether there is a note, note, seen token expected, new seen token | "" when nothing is seen, new token of changes;
--   packed, in runs, each of which is either ("" when everything in it lasts that long already)
--             TALLY, kept until | "", bytes of an entry, number of tally blocks, and for each block the number of its entries, and the
--             entries (its KEYS are the one that exists when any block is wide, then the blocks), or
--             ADD | LOWER, kept until | "", bytes of a field | 0 when each has its own length before it, number of hashes, and for
--             each hash the number of its fields (1,000 at most), and the fields with their amounts;
--   blocks:   how many, then of each: kept until | "", bytes to append;
--   released: how many, then the holder of each
-- Reply: the former token of changes | "", or an error COUNTERS_MOVED (another position), COUNTERS_STALE (another seen token).
local BLOCK_BYTES = 4096
-- A tally block of more counters than this becomes wide.
local COUNTERS_MAX = 256
-- A tally block is added up when it passes this length, and whenever it passes twice the length again. The sums of COUNTERS_MAX counters
-- take two thirds of it: if they nearly filled it, a few more entries would have all of them added up once more.
local SUMMED_BYTES = 12 * COUNTERS_MAX
local TALLY_MAX = 65535

local position = redis.call('GET', KEYS[1]) or '-1'
if position ~= ARGV[1] then
  return redis.error_reply('COUNTERS_MOVED ' .. KEYS[1] .. ' is ' .. position .. ', not ' .. ARGV[1])
end
if ARGV[6] ~= '' and (redis.call('GET', KEYS[3]) or '') ~= ARGV[5] then
  return redis.error_reply('COUNTERS_STALE seen keys have changed')
end

-- A full Redis refuses a command only as long as the script has written nothing: so this must come first.
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[3] == '1' then redis.call('SET', KEYS[2], ARGV[4]) end
if ARGV[6] ~= '' then redis.call('SET', KEYS[3], ARGV[6]) end
local former = redis.call('GET', KEYS[4]) or ''
redis.call('SET', KEYS[4], ARGV[7])

-- Lua's numbers are doubles, exact up to 2^53, but its own tostring keeps only 14 digits.
local function text(number) return string.format('%.0f', number) end
-- A key ends at the latest time that a change has named. A new key has no end yet.
local function keep(key, kept_until, may_be_new)
  if kept_until == '' or may_be_new and redis.call('PEXPIREAT', key, kept_until, 'NX') == 1 then return end
  redis.call('PEXPIREAT', key, kept_until, 'GT')
end

local call, byte, sub = redis.call, string.byte, string.sub
local k, i = 4, 9
local function key()
  k = k + 1
  return KEYS[k]
end
local function argument()
  i = i + 1
  return ARGV[i - 1]
end

local packed, at = ARGV[8], 1
local function number()
  local low, high = byte(packed, at, at + 1)
  at = at + 2
  return low + 256 * high
end
local function bytes(length)
  at = at + length
  return sub(packed, at - length, at - 1)
end

local function raise(hash, kept_until, field, amount)
  local value = call('HINCRBY', hash, field, amount)
  if value < 0 then call('HSET', hash, field, 0) end
  keep(hash, kept_until, value == tonumber(amount))
end

-- The new value of a field; false when it stays as it is.
local change = {}
function change.ADD(former, amount) return text(math.max((former or 0) + amount, 0)) end
function change.LOWER(former, value)
  former = tonumber(former or '0')
  return (former == 0 or former > tonumber(value)) and value
end

local function change_fields(name, kept_until, width, hash)
  local count, fields, amounts = number(), {}, {}
  for n = 1, count do
    fields[n] = bytes(width > 0 and width or number())
    amounts[n] = bytes(number())
  end
  if count == 1 and name == 'ADD' then return raise(hash, kept_until, fields[1], amounts[1]) end
  -- A field that is lowered mostly does not exist yet.
  if count == 1 and call('HSETNX', hash, fields[1], amounts[1]) == 1 then return keep(hash, kept_until, true) end
  local values, is_new, changed = call('HMGET', hash, unpack(fields)), false, {}
  for n = 1, count do
    local value = change[name](values[n], amounts[n])
    if value then
      changed[#changed + 1] = fields[n]
      changed[#changed + 1] = value
      is_new = is_new or not values[n]
    end
  end
  if #changed > 0 then call('HSET', hash, unpack(changed)) end
  keep(hash, kept_until, is_new)
end

-- Adds up the entries of each counter of a tally block. An entry has six bytes that name the counter, and two of an amount, low byte
-- first. A block of many counters becomes wide: a hash, of which only the fields that are asked for are read. Returns whether it did.
local function sum_up(block, any_wide)
  local entries, sums, counters = call('GET', block), {}, {}
  for from = 1, #entries, 8 do
    local counter, low, high = sub(entries, from, from + 5), byte(entries, from + 6, from + 7)
    if not sums[counter] then counters[#counters + 1] = counter end
    sums[counter] = (sums[counter] or 0) + low + 256 * high
  end
  if #counters > COUNTERS_MAX then
    local ends_at = call('PEXPIRETIME', block)
    local kept_until = ends_at > 0 and text(ends_at) or ''
    call('DEL', block)
    for _, counter in ipairs(counters) do call('HSET', block, counter, text(sums[counter])) end
    keep(block, kept_until, true)
    call('SET', any_wide, 1, 'KEEPTTL')
    keep(any_wide, kept_until, true)
    return true
  end
  local summed = {}
  for _, counter in ipairs(counters) do
    for left = sums[counter], 1, -TALLY_MAX do
      local amount = math.min(left, TALLY_MAX)
      summed[#summed + 1] = counter .. string.char(amount % 256, math.floor(amount / 256))
    end
  end
  call('SET', block, table.concat(summed), 'KEEPTTL')
  return false
end

-- Appends entries to a tally block. Returns whether the block has become wide.
local function tally(block, kept_until, entries, any_wide)
  local length = call('APPEND', block, entries)
  keep(block, kept_until, length == #entries)
  if length < SUMMED_BYTES then return false end
  local _, doublings = math.frexp(length / SUMMED_BYTES)
  local _, before = math.frexp((length - #entries) / SUMMED_BYTES)
  return doublings > before and sum_up(block, any_wide)
end

local function tally_wide(block, kept_until, entries)
  for from = 1, #entries, 8 do
    local low, high = byte(entries, from + 6, from + 7)
    call('HINCRBY', block, sub(entries, from, from + 5), low + 256 * high)
  end
  keep(block, kept_until, false)
end

local function tally_all(kept_until, width, count)
  local any_wide = key()
  local has_wide = call('EXISTS', any_wide) == 1
  -- It must not end before any wide block does.
  keep(any_wide, kept_until, false)
  for _ = 1, count do
    local block, entries = key(), bytes(number() * width)
    if has_wide and call('TYPE', block).ok == 'hash' then
      tally_wide(block, kept_until, entries)
    else
      -- A block of many entries comes several times, and may have become wide at an earlier one.
      has_wide = tally(block, kept_until, entries, any_wide) or has_wide
    end
  end
end

while at <= #packed do
  local name, kept_until, width, count = bytes(number()), bytes(number()), number(), number()
  if name == 'TALLY' then
    tally_all(kept_until, width, count)
  else
    for _ = 1, count do change_fields(name, kept_until, width, key()) end
  end
end

for _ = 1, tonumber(argument()) do
  local block, kept_until, bytes = key(), argument(), argument()
  local length = redis.call('APPEND', block, bytes)
  if length == #bytes then keep(block, kept_until, true) end
  -- Redis keeps spare room at the end of a string that was appended to. A full block is written again, without it.
  if length >= BLOCK_BYTES then redis.call('SET', block, redis.call('GET', block), 'KEEPTTL') end
end

for _ = 1, tonumber(argument()) do redis.call('HDEL', key(), argument()) end

return { former }
