-- Applies steps of one source, wholly or not at all: everything is worked out first, and written at the end.
-- The rule of a step is that of step.ts; a change of one is a change of both, and a property test compares them.
--
-- ARGV: prefix, source, after, upTo, outcomes kept (offsets), lag (ms), steps: JSON of
--   [offset, now, once key | false, once expiry, carry key | false, thousandths,
--    [[name, key, add, max | false, expiry | false, carries, brief,
--      window keys, [[keys, gives, per, max | false], ...], marks, of | false, once key | false], ...],
--    [actor key, known after (ms), expiry] | false]
--   of which the second line of a limit may be left out
-- Reply: the outcome of each step, or an error BEHIND (the source has lost what was applied) or FORGOTTEN.
--
-- Keys: <prefix>at:<source>        the last offset applied
--       <prefix>outcomes:<source>  sorted set by last offset: JSON of [offset, outcome, ...] of one call
--       <prefix>clock              the latest time that any step has told
--       <prefix>c/<key>, o/<key>   "value" or "value:expiry"; counters, and once keys that were taken
local prefix, source = ARGV[1], ARGV[2]
local after, up_to = tonumber(ARGV[3]), tonumber(ARGV[4])
local kept, lag_ms = tonumber(ARGV[5]), tonumber(ARGV[6])
local steps = cjson.decode(ARGV[7])

local THOUSANDTHS = 1000
local at_key, outcomes_key, clock_key = prefix .. 'at:' .. source, prefix .. 'outcomes:' .. source, prefix .. 'clock'
local last = tonumber(redis.call('GET', at_key) or '-1')
if last < after then return redis.error_reply('BEHIND ' .. source .. ' stands at ' .. last .. ', not at ' .. after) end

-- Numbers of Lua are doubles, exact up to 2^53; its own text of them has only 14 digits.
local function text(number) return string.format('%.0f', number) end

-- Every key that the steps name, read at once.
local entries, changed, names = {}, {}, {}
local function name(key)
  if entries[key] then return end
  entries[key] = true
  names[#names + 1] = prefix .. key
end
for _, step in ipairs(steps) do
  if step[3] then name('o/' .. step[3]) end
  if step[5] then name('c/' .. step[5]) end
  for _, limit in ipairs(step[7]) do
    name('c/' .. limit[2])
    for _, key in ipairs(limit[8] or {}) do name('c/' .. key) end
    for _, allowance in ipairs(limit[9] or {}) do
      for _, key in ipairs(allowance[1]) do name('c/' .. key) end
    end
    if limit[12] then name('o/' .. limit[12]) end
  end
  if step[8] then name('c/' .. step[8][1]) end
end
if #names > 0 then
  for i, stored in ipairs(redis.call('MGET', unpack(names))) do
    local value, expiry = string.match(stored or '0', '^(%d+):?(%d*)$')
    entries[string.sub(names[i], #prefix + 1)] = { value = tonumber(value), expiry = tonumber(expiry) }
  end
end

local function value_at(key, now)
  local found = entries[key]
  return (not found.expiry or found.expiry > now) and found.value or 0
end
local function set(key, value, expiry, now, brief)
  if not changed[key] then changed[#changed + 1] = key end
  changed[key] = true
  entries[key] = { value = value, expiry = expiry or nil, now = now, brief = brief }
end

local function sum_of(keys, now)
  local sum = 0
  for _, key in ipairs(keys or {}) do sum = sum + value_at('c/' .. key, now) end
  return sum
end

local function is_there(limit, actor, since, now)
  local of, unless_taken = limit[11], limit[12]
  if unless_taken and value_at('o/' .. unless_taken, now) > 0 then return false end
  if not of then return true end
  if not actor then return false end
  if of == 'FIRST' then return since == 0 end
  local known = since > 0 and now - since >= actor[2]
  return known == (of == 'KNOWN')
end

local function max_of(limit, now)
  local max = limit[4]
  for _, allowance in ipairs(limit[9] or {}) do
    local given = math.floor(sum_of(allowance[1], now) * allowance[2] / allowance[3])
    if allowance[4] then given = math.min(given, allowance[4]) end
    max = max + given
  end
  return max
end

local function apply(step)
  local _, now, once, once_expiry, carry, thousandths, limits, actor = unpack(step)
  if once then
    if value_at('o/' .. once, now) > 0 then return 'SEEN' end
    set('o/' .. once, 1, once_expiry, now)
  end
  local rest = carry and value_at('c/' .. carry, now) + thousandths or 0
  local carried = rest >= THOUSANDTHS and 1 or 0
  local since = actor and value_at('c/' .. actor[1], now) or 0
  local outcome = carried == 1 and 'CARRIED' or 'APPLIED'
  local raised = {}
  for _, limit in ipairs(limits) do
    if is_there(limit, actor, since, now) then
      local add = limit[3] + (limit[6] and carried or 0)
      local value = value_at('c/' .. limit[2], now) + sum_of(limit[8], now)
      if not limit[4] or value + add <= max_of(limit, now) then
        raised[#raised + 1] = { limit, add }
      elseif limit[10] then
        outcome = outcome .. '+' .. limit[1]
      else
        return limit[1]
      end
    end
  end
  for _, each in ipairs(raised) do
    local limit, add = each[1], each[2]
    local key = 'c/' .. limit[2]
    set(key, math.max(0, value_at(key, now) + add), limit[5], now, limit[7])
  end
  if carry then set('c/' .. carry, rest - carried * THOUSANDTHS, nil, now) end
  if actor and (since == 0 or now < since) then set('c/' .. actor[1], now, actor[3], now) end
  return outcome
end

-- What a position got when it was applied, from the call that applied it.
local known = {}
local function outcome_of(offset)
  if known[offset] then return known[offset] end
  local block = redis.call('ZRANGEBYSCORE', outcomes_key, text(offset), '+inf', 'LIMIT', 0, 1)[1]
  local pairs_of = block and cjson.decode(block) or {}
  for i = 1, #pairs_of, 2 do known[tonumber(pairs_of[i])] = pairs_of[i + 1] end
  return known[offset]
end

local clock, log, replies = 0, {}, {}
for i, step in ipairs(steps) do
  local offset = step[1]
  if offset > last then
    known[offset] = apply(step)
    log[#log + 1] = text(offset)
    log[#log + 1] = known[offset]
    last = offset
    clock = math.max(clock, step[2])
  end
  replies[i] = outcome_of(offset)
  if not replies[i] then return redis.error_reply('FORGOTTEN ' .. source .. ' offset ' .. text(offset)) end
end

-- Redis forgets a key only when its time has passed and so long again as the judge may lag behind the clock: a brief one at once.
for _, key in ipairs(changed) do
  local new = entries[key]
  if new.expiry then
    local left = math.max(new.expiry - new.now, 1) + (new.brief and 0 or lag_ms)
    redis.call('SET', prefix .. key, text(new.value) .. ':' .. text(new.expiry), 'PX', text(left))
  else
    redis.call('SET', prefix .. key, text(new.value))
  end
end
if #log > 0 then
  redis.call('ZADD', outcomes_key, text(last), cjson.encode(log))
  redis.call('ZREMRANGEBYSCORE', outcomes_key, '-inf', text(last - kept))
end
if up_to > last then last = up_to end
redis.call('SET', at_key, text(last))
if clock > tonumber(redis.call('GET', clock_key) or '0') then redis.call('SET', clock_key, text(clock)) end
return replies
