-- Enqueues jobs and, in the same transaction, claims for polls that are parked at the same broker. Returns the rows of
-- enqueue_jobs and, if one of the jobs is available, those of claim_jobs. The polls must be for queues of the batch:
-- enqueue_jobs has locked those in order, and another lock after them could deadlock. It has not locked the queues of
-- requests that repeat another: with one of those, or a refusal, nothing is claimed here.
create or replace function enqueue_and_claim_jobs(batch json, waiters int[], runner_ids text[], process_ids text[],
                           job_groups text[], wants int[], poll_ids text[], execution_ids text[], digests bytea[])
  returns table (enqueued enqueued_job, claimed claimed_job)
  language plpgsql as $$
declare
  made enqueued_job[];
  is_on_offer boolean;
begin
  select array_agg(e), bool_or(e.status = 'available') and bool_and(e.outcome = 'enqueued') into made, is_on_offer from enqueue_jobs(batch) e;
  return query select m, null::claimed_job from unnest(made) m;
  if is_on_offer then
    return query
    select null::enqueued_job, c
      from claim_jobs(waiters, runner_ids, process_ids, job_groups, wants, poll_ids, execution_ids, digests) c;
  end if;
end $$;
