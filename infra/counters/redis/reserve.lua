-- Reserves amounts by the rule of `Reservation` in port.ts. reservations.ts has the same rule: change both together; a
-- property test compares them.
--
-- ARGV: prefix, maximum holders of a key, grace (ms), reservations: JSON of
--   [holder, retained, requested, minimum, expiry, now, settling once key | "", [[key, counter key | false, max], ...]]
-- Reply: the granted amount of each.
--
-- Keys: <prefix>h/<key>  hash: holder to "amount:expiry:once key"
local prefix, holders_max, grace_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

-- Lua's tostring keeps only 14 digits.
local function text(number) return string.format('%.0f', number) end

local function counter_at(key, now)
  local value, expiry = string.match(redis.call('GET', prefix .. 'c/' .. key) or '0', '^(%d+):?(%d*)$')
  expiry = tonumber(expiry)
  return (not expiry or expiry > now) and tonumber(value) or 0
end

local function is_taken(key, now)
  local expiry = tonumber(string.match(redis.call('GET', prefix .. 'o/' .. key) or '', '^%d+:(%d+)$'))
  return expiry and expiry > now
end

-- What other holders have reserved of a key, and whether it takes no further holder. Drops what has expired or is settled.
local function others_of(name, holder, now)
  local stored = redis.call('HGETALL', name)
  local amount, holders, known = 0, 0, false
  for i = 1, #stored, 2 do
    local held, expiry, once = string.match(stored[i + 1], '^(%d+):(%d+):(.*)$')
    if tonumber(expiry) <= now or (once ~= '' and is_taken(once, now)) then
      redis.call('HDEL', name, stored[i])
    else
      holders = holders + 1
      if stored[i] == holder then known = true else amount = amount + tonumber(held) end
    end
  end
  return amount, holders >= holders_max and not known
end

local function reserve(holder, retained, requested, minimum, expiry, now, once, limits)
  local granted = requested
  local full = {}
  for i, limit in ipairs(limits) do
    local name = prefix .. 'h/' .. limit[1]
    local others, is_full = others_of(name, holder, now)
    full[i] = is_full
    local left = limit[3] - (limit[2] and counter_at(limit[2], now) or 0) - others - retained
    granted = math.min(granted, is_full and 0 or left)
  end
  if granted < math.max(minimum, 1) then granted = 0 end
  for i, limit in ipairs(limits) do
    local name = prefix .. 'h/' .. limit[1]
    if retained + granted == 0 then
      redis.call('HDEL', name, holder)
    elseif not full[i] then
      redis.call('HSET', name, holder, text(retained + granted) .. ':' .. text(expiry) .. ':' .. once)
      local left_ms = math.max(expiry - now, 0) + grace_ms
      if redis.call('PTTL', name) < left_ms then redis.call('PEXPIRE', name, text(left_ms)) end
    end
  end
  return text(granted)
end

local replies = {}
for i, each in ipairs(cjson.decode(ARGV[4])) do replies[i] = reserve(unpack(each)) end
return replies
