import type { Db } from "../database/connect.ts";
import { type SealedPlace, sealedPlaces } from "./sealed-places.ts";
import type { Seals } from "./seals.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Walked = { readonly last: string | null; readonly ids: string[] | null };

const walkAtOnce = 1000;

/**
 * Seals with the newest key what older ones sealed, and what is readable still; answers how many things that
 * were. It walks only while an older key is known to have sealed something, and forgets that key when a whole
 * walk has left nothing of it. By then every broker has had ten minutes to take the newest one.
 */
export async function sealAnew({ db, seals }: Parts, signal: AbortSignal): Promise<number> {
  const newest = seals.newest();
  if (newest === null || !(await hasOlderKeys(db, newest))) return 0;
  let count = 0;
  for (const place of sealedPlaces) count += await walk({ db, seals }, place, { newest, signal });
  count += await sealEvidenceAnew({ db, seals }, newest);
  if (count === 0 && !signal.aborted) await forgetOlderKeys(db, newest);
  return count;
}

async function hasOlderKeys(db: Db, newest: string): Promise<boolean> {
  const [row] = await db<{ n: number }[]>`
    select count(*)::int as n from seal_keys where id <> ${newest}
       and exists (select from seal_keys where id = ${newest} and created_at < svc_now() - interval '10 minutes')`;
  return (row?.n ?? 0) > 0;
}

async function walk(
  parts: Parts,
  { table, id, sealsPlain, sealAnew: sealRow }: SealedPlace,
  { newest, signal }: { readonly newest: string; readonly signal: AbortSignal },
): Promise<number> {
  const { db } = parts;
  let count = 0;
  for (let after: string | null = ""; after !== null && !signal.aborted;) {
    const [walked]: Walked[] = await db<Walked[]>`
      select max(w.id) as last,
             array_agg(w.id) filter (where w.key_id <> ${newest} or (w.key_id is null and ${sealsPlain})) as ids
        from (select ${db(id)}::text as id, key_id from ${db(table)} where ${db(id)} > ${after}
               order by ${db(id)} limit ${walkAtOnce}) w`;
    for (const one of walked?.ids ?? []) await sealRow(parts, one);
    count += walked?.ids?.length ?? 0;
    after = walked?.last ?? null;
  }
  return count;
}

type EvidenceRow = {
  id: number;
  org_id: string;
  execution_id: string;
  key_id: string;
  sealed: string;
};

/** Results that came second: there are few, and they are found by their kind. */
async function sealEvidenceAnew({ db, seals }: Parts, newest: string): Promise<number> {
  const rows = await db<EvidenceRow[]>`
    select id, org_id, execution_id, body ->> 'key_id' as key_id, body ->> 'sealed_contents' as sealed
      from runner_job_execution_evidence
     where kind = 'result' and body ->> 'key_id' <> ${newest} limit 100`;
  for (const row of rows) {
    const thing = { orgId: row.org_id, id: row.execution_id, part: "result" };
    const sealed = Buffer.from(row.sealed, "base64");
    const plain = seals.open(thing, { keyId: row.key_id, bytes: sealed });
    const { keyId, bytes } = seals.seal(thing, plain);
    const fresh = { key_id: keyId, sealed_contents: bytes.toString("base64") };
    await db`
      update runner_job_execution_evidence set body = body || ${JSON.stringify(fresh)}::text::jsonb
       where id = ${row.id}`;
  }
  return rows.length;
}

async function forgetOlderKeys(db: Db, newest: string): Promise<void> {
  await db`delete from seal_keys where id <> ${newest}`;
}
