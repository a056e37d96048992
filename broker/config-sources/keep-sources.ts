import { createHash } from "node:crypto";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { discardUpload } from "../workspaces/queries.ts";
import { storeParts, storedColumns, unlessDiscarded } from "../workspaces/store-parts.ts";
import { findBlobs, insertBlob } from "./queries.ts";

type Parts = Pick<Broker, "db" | "seals">;

/**
 * Keeps archives, each content once in the org, and answers the ids of their blobs in this order. What no config names
 * goes after a day.
 */
export async function keepSources(
  { db, seals }: Parts,
  org: OrgId,
  archives: readonly Buffer[],
): Promise<readonly string[]> {
  if (archives.length === 0) return [];
  const digests = archives.map(
    (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
  );
  const found = await findBlobs(db, org, digests);
  const ids: string[] = [];
  for (const [at, bytes] of archives.entries()) {
    const digest = digests[at] ?? "";
    ids.push(found.get(digest) ?? (await keepOne({ db, seals }, org, { digest, bytes })));
  }
  return ids;
}

async function keepOne(
  parts: Parts,
  orgId: OrgId,
  { digest, bytes }: { readonly digest: string; readonly bytes: Buffer },
): Promise<string> {
  const { db } = parts;
  const id = newId("upl");
  return await unlessDiscarded({ db }, { orgId, id }, async () => {
    const stored = await storeParts(parts, { orgId, id }, piecesOf(bytes));
    const blob = { id, digest, ...storedColumns(stored) };
    const kept = await insertBlob(db, orgId, { blob, onlyPart: stored.onlyPart });
    if (kept !== id) await discardUpload(db, orgId, id); // another sync was first
    return kept ?? id;
  });
}

const pieceBytes = 256 * 1024;

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes)
    yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
}
