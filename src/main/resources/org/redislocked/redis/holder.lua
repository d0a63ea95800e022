-- Tells who has the lock, for messages and monitoring. Writes nothing.
-- KEYS   1 lock, 2 fence
-- ARGV   none
-- Reply  {grant id, hold count, rest of the lease in ms, last token, now in µs} · {} if the lock is free
-- Cost   4 commands, O(1): the hash has one field
local grant = redis.call('HGETALL', KEYS[1])
if #grant == 0 then return {} end
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[2])) or 0
return {grant[1], tonumber(grant[2]) or 0, redis.call('PTTL', KEYS[1]), last, time[1] * 1000000 + time[2]}
