-- Reads plain values and counters of one shard at one moment. A transaction would do, but a Redis that is full refuses to
-- queue one.
--
-- KEYS: plain values; then hashes, in the order of their fields
-- ARGV: how many plain values; packed, the hashes in runs of one field length: bytes of a field | 0 when each has its own length
--   before it, number of hashes, and for each hash the number of its fields (1,000 at most), and the fields
-- Reply: the plain values; then the values of all fields, in order, with commas between them and nothing where a field is missing.
local call, byte, sub = redis.call, string.byte, string.sub
local packed, at = ARGV[2], 1

local function number()
  local low, high = byte(packed, at, at + 1)
  at = at + 2
  return low + 256 * high
end
local function bytes(length)
  at = at + length
  return sub(packed, at - length, at - 1)
end

local plain = tonumber(ARGV[1])
local replies = {}
for i = 1, plain do replies[i] = call('GET', KEYS[i]) end

local values, length, k = {}, 0, plain
while at <= #packed do
  local width, hashes = number(), number()
  for _ = 1, hashes do
    k = k + 1
    local count, fields = number(), {}
    for n = 1, count do fields[n] = bytes(width > 0 and width or number()) end
    if count == 1 then
      values[length + 1] = call('HGET', KEYS[k], fields[1]) or ''
    else
      local found = call('HMGET', KEYS[k], unpack(fields))
      for n = 1, count do values[length + n] = found[n] or '' end
    end
    length = length + count
  end
end
replies[plain + 1] = table.concat(values, ',')
return replies
