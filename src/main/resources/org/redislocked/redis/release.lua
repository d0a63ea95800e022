-- Frees the lock and signals that.
-- KEYS   1 lock
-- ARGV   1 grant id, 2 channel, 3 message: the id of the releasing client
-- Reply  1 released · 0 the lock was not the grant's
-- Cost   3 commands, O(1) and O(clients that wait)
--
-- Twice, late: only the grant's own lock is deleted, and grant ids are never used again.
-- Half: the lock is free before the signal is tried. PUBLISH may be denied; waiters then find out by polling.
-- Nothing here needs memory.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', ARGV[2], ARGV[3])
return 1
