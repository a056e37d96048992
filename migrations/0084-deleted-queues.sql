-- Retention looks for queues that were deleted long ago.
create index if not exists queues_deleted on queues (deleted_at) where deleted_at is not null;
