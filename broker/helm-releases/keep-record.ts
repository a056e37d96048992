import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import {
  deleteRecord,
  findRecord,
  insertRecord,
  type RecordPlace,
  type StoredRecord,
  updateRecord,
} from "./queries.ts";
import { readRecord } from "./read-record.ts";
import type { HelmReleaseRow } from "./row.ts";

type Parts = Pick<Broker, "db" | "seals">;
type Kept = { readonly place: RecordPlace; readonly bytes: Buffer };

/** Keeps a record for the first time; 409 when its key is taken. */
export async function createRecord(
  { db, seals }: Parts,
  { orgId, id: actorId }: Actor,
  { place, bytes }: Kept,
): Promise<HelmReleaseRow> {
  const record = sealed({ seals }, { orgId, id: newId("hrl"), bytes });
  const row = await insertRecord(db, orgId, { place, record, actorId });
  if (row !== undefined) return row;
  throw problem.conflict("release_exists", `There is a record ${place.key} in this namespace.`);
}

/** Writes a record again; 404 when there is none. */
export async function replaceRecord(
  { db, seals }: Parts,
  { orgId }: Actor,
  { place, bytes }: Kept,
): Promise<HelmReleaseRow> {
  const old = await findRecord(db, orgId, place);
  const row =
    old && (await updateRecord(db, orgId, sealed({ seals }, { orgId, id: old.id, bytes })));
  if (row === undefined) throw problem.notFound("release");
  return row;
}

/** Deletes a record and answers what it was; 404 when there is none. */
export async function removeRecord(
  { db }: Parts,
  { orgId }: Actor,
  place: RecordPlace,
): Promise<HelmReleaseRow> {
  const row = await deleteRecord(db, orgId, place);
  if (row === undefined) throw problem.notFound("release");
  return row;
}

/** The record as helm wrote it; undefined when there is none. */
export async function openRecord(
  { db, seals }: Parts,
  org: OrgId,
  at: string | RecordPlace,
): Promise<Buffer | undefined> {
  const found = await findRecord(db, org, at);
  if (found === undefined) return undefined;
  const { id, key_id: keyId, contents: bytes } = found;
  return seals.open({ orgId: org, id, part: "helm-release" }, { keyId, bytes });
}

function sealed(
  { seals }: Pick<Parts, "seals">,
  { orgId, id, bytes }: { orgId: OrgId; id: string; bytes: Buffer },
): StoredRecord {
  const facts = readRecord(bytes);
  const { keyId, bytes: contents } = seals.seal({ orgId, id, part: "helm-release" }, bytes);
  return { ...facts, id, keyId, contents, sizeBytes: bytes.length };
}
