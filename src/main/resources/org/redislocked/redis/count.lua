-- Extends the lease of a grant and records how often its owner has entered: re-entry, inner release, renewal.
-- KEYS   1 lock
-- ARGV   1 grant id, 2 hold count, 0: leave it as it is (renewal), 3 lease in ms, 0: leave it
-- Reply  1 done · 0 the lock is not the grant's
-- Cost   3 commands, 4 with a count, all O(1)
--
-- Twice, late: the count is set and not incremented, and the lease never gets shorter. A count that comes late shows a
-- wrong number, by which nothing is decided; so its failing for want of memory does not matter either, while HEXISTS,
-- PTTL and PEXPIRE work then.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if math.max(0, redis.call('PTTL', KEYS[1])) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
if ARGV[2] ~= '0' then redis.pcall('HSET', KEYS[1], ARGV[1], ARGV[2]) end
return 1
