import { hash } from "node:crypto";
import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import { type SealedEvidence, sealEvidence } from "../executions/sealed-evidence.ts";
import { contentsText } from "../executions/sealed-result.ts";
import type { Seals } from "./seals.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type OpenedRow = { readonly org_id: string; readonly key_id: string | null };

/** Whether an unsealed result has contents that would be sealed. */
export const holdsContents = (db: Db): postgres.Fragment =>
  db`num_nonnulls(contents, contents_display, contents_gzip, contents_display_gzip) > 0`;

type ResultRow = OpenedRow & {
  readonly bytes: Buffer | null;
  readonly contents: string | null;
  readonly contents_display: string | null;
  readonly contents_gzip: Buffer | null;
  readonly contents_display_gzip: Buffer | null;
};

/** Seals the contents of a result with the newest key. */
export async function resealResult({ db, seals }: Parts, id: string): Promise<void> {
  const [row] = await db<ResultRow[]>`
    select org_id, key_id, sealed_contents as bytes, contents, contents_display, contents_gzip, contents_display_gzip
      from runner_job_execution_results where execution_id = ${id}`;
  if (row === undefined) return;
  const thing = { orgId: row.org_id, id, part: "result" };
  const plain =
    row.bytes === null
      ? plainContents(row)
      : seals.open(thing, { keyId: row.key_id, bytes: row.bytes });
  const { keyId, bytes } = seals.seal(thing, plain);
  await db`
    update runner_job_execution_results
       set key_id = ${keyId}, sealed_contents = ${bytes}, fingerprint = ${fingerprintOf(seals, plain)},
           contents = null, contents_display = null, contents_gzip = null, contents_display_gzip = null
     where execution_id = ${id} and key_id is not distinct from ${row.key_id}`;
}

function plainContents(row: ResultRow): Buffer {
  return contentsText({
    contents: row.contents ?? undefined,
    contents_display: row.contents_display ?? undefined,
    contents_gzip: row.contents_gzip?.toString("base64"),
    contents_display_gzip: row.contents_display_gzip?.toString("base64"),
  });
}

type OutputsRow = OpenedRow & { readonly bytes: Buffer };

/** Seals outputs with the newest key. */
export async function resealOutputs({ db, seals }: Parts, id: string): Promise<void> {
  const [row] = await db<OutputsRow[]>`
    select org_id, key_id, coalesce(sealed_outputs, convert_to(outputs::text, 'UTF8')) as bytes
      from runner_job_execution_outputs where execution_id = ${id}`;
  if (row === undefined) return;
  const thing = { orgId: row.org_id, id, part: "outputs" };
  const plain = seals.open(thing, { keyId: row.key_id, bytes: row.bytes });
  const { keyId, bytes } = seals.seal(thing, plain);
  await db`
    update runner_job_execution_outputs
       set key_id = ${keyId}, sealed_outputs = ${bytes}, fingerprint = ${fingerprintOf(seals, plain)}, outputs = null
     where execution_id = ${id} and key_id is not distinct from ${row.key_id}`;
}

/** Late evidence that is readable, or sealed with an older key. */
export async function* listEvidenceToReseal(db: Db, newest: string): AsyncGenerator<string> {
  for (let after = "0"; ;) {
    const rows = await db<{ id: string }[]>`
      select id::text as id from runner_job_execution_evidence
       where kind <> 'status' and id > ${after}::bigint
         and case when key_id is not null then key_id <> ${newest}
                  else kind = 'outputs' or body ?| array['contents', 'contents_display', 'contents_gzip',
                                                         'contents_display_gzip'] end
       order by runner_job_execution_evidence.id limit 100`;
    yield* rows.map(({ id }) => id);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Seals a late result or late outputs with the newest key. */
export async function resealEvidence({ db, seals }: Parts, id: string): Promise<void> {
  const [row] = await db<(SealedEvidence & { readonly sealed: Buffer | null })[]>`
    select org_id, execution_id, kind, body, sealed, key_id from runner_job_execution_evidence where id = ${id}::bigint`;
  if (row === undefined) return;
  if (row.sealed !== null) {
    const thing = { orgId: row.org_id, id: row.execution_id, part: row.kind };
    const again = seals.seal(thing, seals.open(thing, { keyId: row.key_id, bytes: row.sealed }));
    await db`
      update runner_job_execution_evidence set sealed = ${again.bytes}, key_id = ${again.keyId}
       where id = ${id}::bigint and key_id is not distinct from ${row.key_id}`;
    return;
  }
  const { body, keyId } = sealEvidence(seals, row);
  await db`
    update runner_job_execution_evidence set body = ${JSON.stringify(body)}::text::jsonb, key_id = ${keyId}
     where id = ${id}::bigint and key_id is not distinct from ${row.key_id}`;
}

function fingerprintOf(seals: Seals, plain: Buffer): Buffer {
  const print = seals.fingerprints(hash("sha256", plain, "buffer"))[seals.newest() ?? ""] ?? "";
  return Buffer.from(print, "hex");
}
