-- Reads counters of one shard as of one moment. A transaction would do, but a Redis that is full refuses to take one in.
--
-- KEYS: complete; hashes
-- ARGV: of each hash the number of its fields, and these
-- Reply: the value of each field, in order; nothing while the shard is not complete.
local FIELDS_MAX = 1000 -- Lua cannot take more than some thousand values at once.

local values = {}
if redis.call('EXISTS', KEYS[1]) == 0 then return values end
local i = 1
for k = 2, #KEYS do
  local last = i + tonumber(ARGV[i])
  for from = i + 1, last, FIELDS_MAX do
    local found = redis.call('HMGET', KEYS[k], unpack(ARGV, from, math.min(from + FIELDS_MAX - 1, last)))
    for n = 1, #found do values[#values + 1] = found[n] or '0' end
  end
  i = last + 1
end
return values
