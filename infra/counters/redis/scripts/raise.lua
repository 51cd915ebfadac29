-- Raises KEYS[1] to ARGV[1]; a lower number changes nothing.
if tonumber(redis.call('GET', KEYS[1]) or '-1') < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
