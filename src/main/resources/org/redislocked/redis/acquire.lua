-- Gives the lock to a grant, if it is free or already the grant's.
-- KEYS   1 lock, 2 fence
-- ARGV   1 grant id, 2 lease in ms, 3 highest token the client knows, 4 TTL of the fence in ms,
--        5 server time in µs after which to refuse, 0: never
-- Reply  {1, token, now} granted · {0, rest of the lease in ms, -1 if endless} busy · {-1, now} too late
-- Cost   2 commands if busy, else 8, all O(1)
--
-- Twice: the second run finds the grant and gives it a higher token. Grant ids are never used again, so there is no
-- third case. Late: refused after ARGV 5; nobody then holds or awaits this grant.
-- Half: HEXISTS raises WRONGTYPE before anything is written, and SET is the first write and is refused when memory is
-- used up (after a first write, Redis refuses no other). A lock without a lease would never be free again: so PEXPIRE is
-- tried on the missing key, where it answers 0, or raises if the user may not use it.
-- The token outgrows what Redis remembers, what the client remembers and the clock: two of the three may fail.
local ttl = redis.call('PTTL', KEYS[1])
local mine = ttl ~= -2 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
if ttl ~= -2 and not mine then return {0, ttl} end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local notAfter = tonumber(ARGV[5])
if notAfter > 0 and now > notAfter then return {-1, now} end

local last = tonumber(redis.call('GET', KEYS[2])) or 0
local token = math.max(last + 1, ARGV[3] + 1, now)
redis.call('SET', KEYS[2], string.format('%.0f', token), 'PX', ARGV[4])
if not mine then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('HSET', KEYS[1], ARGV[1], 1)
end
if ttl < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, token, now}
