-- Reserves amounts by the rule of `Reservation` in port.ts. reservations.ts has the same rule: change both together; a
-- property test compares them.
--
-- KEYS: named by number in the reservations: hashes of holders ("amount:expiry" by holder), and hashes of counters
-- ARGV: maximum holders of a key, grace (ms), reservations: JSON of
--   [holder, retained, requested, minimum, expiry, now, [[holders, max, counters | false, argument of the field], ...]],
--   fields of counters
-- Reply: the granted amount of each.
local holders_max, grace_ms = tonumber(ARGV[1]), tonumber(ARGV[2])

-- Lua's tostring keeps only 14 digits.
local function text(number) return string.format('%.0f', number) end

-- The amount that other holders have reserved of a key, and whether it takes no further holder. Drops expired reservations.
local function others_of(name, holder, now)
  local stored = redis.call('HGETALL', name)
  local amount, holders, known = 0, 0, false
  for i = 1, #stored, 2 do
    local held, expiry = string.match(stored[i + 1], '^(%d+):(%d+)$')
    if tonumber(expiry) <= now then
      redis.call('HDEL', name, stored[i])
    else
      holders = holders + 1
      if stored[i] == holder then known = true else amount = amount + tonumber(held) end
    end
  end
  return amount, holders >= holders_max and not known
end

local function counted_by(limit)
  return limit[3] and tonumber(redis.call('HGET', KEYS[limit[3]], ARGV[limit[4]]) or '0') or 0
end

local function reserve(holder, retained, requested, minimum, expiry, now, limits)
  local granted = requested
  local full = {}
  for i, limit in ipairs(limits) do
    local others, is_full = others_of(KEYS[limit[1]], holder, now)
    full[i] = is_full
    granted = math.min(granted, is_full and 0 or limit[2] - counted_by(limit) - others - retained)
  end
  if granted < math.max(minimum, 1) then granted = 0 end
  for i, limit in ipairs(limits) do
    local name = KEYS[limit[1]]
    if retained + granted == 0 then
      redis.call('HDEL', name, holder)
    elseif not full[i] then
      redis.call('HSET', name, holder, text(retained + granted) .. ':' .. text(expiry))
      local left_ms = math.max(expiry - now, 0) + grace_ms
      if redis.call('PTTL', name) < left_ms then redis.call('PEXPIRE', name, text(left_ms)) end
    end
  end
  return text(granted)
end

local replies = {}
for i, each in ipairs(cjson.decode(ARGV[3])) do replies[i] = reserve(unpack(each)) end
return replies
