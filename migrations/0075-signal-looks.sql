-- What is in flight, or in back-off, in one queue: by status in the order of the ids, and by the claim that has it. A queue may have
-- a million signals in back-off; the index before this one read them all for each of these.
create index if not exists queue_signal_live_by_status on queue_signal_live (queue_id, status, id) where status <> 'queued';
create index if not exists queue_signal_live_by_claim on queue_signal_live (queue_id, claim_id) where claim_id is not null;
drop index if exists queue_signal_live_busy;
