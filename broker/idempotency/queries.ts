import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

export type KeyedRequest = {
  readonly key: string;
  readonly operationId: string;
  readonly fingerprint: Buffer;
};

/** The outcome of an earlier request with the same key; a null status means that it is still in progress. */
export type EarlierRequest = {
  readonly is_same: boolean;
  readonly status: number | null;
  readonly body: string | null;
};

/** The key is this request's: when it was first taken, in milliseconds. */
export type TakenKey = { readonly takenAtMs: number };

/**
 * Takes the key for this request, or returns the earlier request that has it. The insert comes first and
 * the work second, so that of two concurrent requests only one does the work. A request that never ended (its
 * broker died) loses its key after a minute, which is longer than any request may run.
 */
export async function insertKey(
  db: Db,
  org: OrgId,
  request: KeyedRequest,
): Promise<EarlierRequest | TakenKey> {
  const { key, operationId, fingerprint } = request;
  const [row] = await db<(EarlierRequest & { taken_at_ms: number | null })[]>`
    with taken as (
      insert into idempotency_keys as known (org_id, key, operation_id, fingerprint)
      values (${org}, ${key}, ${operationId}, ${fingerprint})
      on conflict (org_id, key) do update
         set operation_id = excluded.operation_id, fingerprint = excluded.fingerprint, status = null, body = null,
             locked_at = svc_now(), expires_at = svc_now() + interval '24 hours',
             created_at = case when known.expires_at < svc_now() then svc_now() else known.created_at end
       where known.expires_at < svc_now()
          or (known.status is null and known.locked_at < svc_now() - interval '1 minute'
              and known.operation_id = excluded.operation_id and known.fingerprint = excluded.fingerprint)
      returning key, created_at)
    select (select (extract(epoch from t.created_at) * 1000)::float8 from taken t) as taken_at_ms,
           coalesce(known.operation_id = ${operationId} and known.fingerprint = ${fingerprint}, true) as is_same,
           known.status, known.body
      from (select 1) one
      left join idempotency_keys known on known.org_id = ${org} and known.key = ${key}`;
  if (row === undefined) throw new Error("taking an idempotency key answered nothing");
  return row.taken_at_ms === null ? row : { takenAtMs: row.taken_at_ms };
}

/** Stores the answer for a day; a null body when it had a secret. */
export async function keepAnswer(
  db: Db,
  org: OrgId,
  answer: { readonly key: string; readonly status: number; readonly body: string | null },
): Promise<void> {
  await db`
    update idempotency_keys set status = ${answer.status}, body = ${answer.body}
     where org_id = ${org} and key = ${answer.key} and status is null`;
}

/** Releases the key: the request was refused or failed, and may be tried again with it. */
export async function deleteKey(db: Db, org: OrgId, key: string): Promise<void> {
  await db`delete from idempotency_keys where org_id = ${org} and key = ${key} and status is null`;
}
