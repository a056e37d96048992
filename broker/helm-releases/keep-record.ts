import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { LargeText } from "../seals/large-text.ts";
import type { LargeSealed } from "../seals/open-large.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { Actor } from "../tokens/actor.ts";
import {
  deleteRecord,
  findRecord,
  findRecordId,
  insertRecord,
  type RecordPlace,
  type StoredRecord,
  updateRecord,
} from "./queries.ts";
import { readRecord, type RecordFacts } from "./read-record.ts";
import type { HelmReleaseRow } from "./row.ts";

type Parts = Pick<Broker, "db" | "seals" | "largeWrites">;
/** A record as it was sent; a long one with its facts, which a child process has read. */
export type SentRecord = Buffer | { readonly facts: RecordFacts; readonly text: LargeText };
type Kept = { readonly place: RecordPlace; readonly sent: SentRecord };

/** Creates a record; 409 when its key is taken. */
export async function createRecord(
  parts: Parts,
  { orgId, id: actorId }: Actor,
  { place, sent }: Kept,
): Promise<HelmReleaseRow> {
  const row = await withSealed(parts, { orgId, id: newId("hrl"), sent }, (record) =>
    insertRecord(parts.db, orgId, { place, record, actorId }),
  );
  if (row !== undefined) return row;
  throw problem.conflict(
    "release_exists",
    `A record with the key ${place.key} already exists in this namespace.`,
  );
}

/** Replaces a record; 404 when there is none. */
export async function replaceRecord(
  parts: Parts,
  { orgId }: Actor,
  { place, sent }: Kept,
): Promise<HelmReleaseRow> {
  const id = await findRecordId(parts.db, orgId, place);
  const write = (record: StoredRecord) => updateRecord(parts.db, orgId, record);
  const row = id === undefined ? undefined : await withSealed(parts, { orgId, id, sent }, write);
  if (row === undefined) throw problem.notFound("release");
  return row;
}

/** Deletes a record and returns it; 404 when there is none. */
export async function removeRecord(
  { db }: Pick<Parts, "db">,
  { orgId }: Actor,
  place: RecordPlace,
): Promise<HelmReleaseRow> {
  const row = await deleteRecord(db, orgId, place);
  if (row === undefined) throw problem.notFound("release");
  return row;
}

/** The record as Helm wrote it, or a long one as a sealed value to open; undefined when there is none. */
export async function openRecord(
  { db, seals }: Pick<Parts, "db" | "seals">,
  org: OrgId,
  at: string | RecordPlace,
): Promise<Buffer | LargeSealed | undefined> {
  const found = await findRecord(db, org, at);
  if (found === undefined) return undefined;
  const { id, keyId, contents: bytes } = found;
  if (!Buffer.isBuffer(bytes)) return bytes;
  return seals.open({ orgId: org, id, part: "helm-release" }, { keyId, bytes });
}

/** Writes a record with its sealed bytes, which are uploaded in pieces when they are large. */
async function withSealed<Result>(
  { db, seals, largeWrites }: Parts,
  { orgId, id, sent }: { readonly orgId: OrgId; readonly id: string; readonly sent: SentRecord },
  write: (record: StoredRecord) => Promise<Result>,
): Promise<Result> {
  const thing = { orgId, id, part: "helm-release" };
  if (!Buffer.isBuffer(sent) && seals.newest() !== null) {
    const { facts, text } = sent;
    const ahead = new StagedUploads();
    const { sent: upload, keyId } = ahead.seal(seals, thing, text);
    const contents = db`sent_bytes(${orgId}, row(${upload.id}, ${upload.bytes}::int)::sent_upload)`;
    const run = (): Promise<Result> =>
      write({ ...facts, id, keyId, contents, sizeBytes: text.sizeBytes });
    return ahead.within({ db, largeWrites }, orgId, run);
  }
  const plain = Buffer.isBuffer(sent) ? sent : Buffer.from(sent.text.toString());
  const { keyId, bytes } = seals.seal(thing, plain);
  const contents = db`${bytes}::bytea`;
  return write({ ...readRecord(plain), id, keyId, contents, sizeBytes: plain.length });
}
