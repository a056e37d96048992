import { setImmediate as nextTurn } from "node:timers/promises";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { OrgByteCache } from "./org-byte-cache.ts";
import { findSmallDocument, listPieces } from "./queries.ts";

const mebibyte = 1024 * 1024;
/** A larger document is read in pieces: parsing it at once would keep all other requests waiting. */
const mostAtOnceBytes = 256 * 1024;
/** A character may take two bytes. */
const bytesOfCharacter = 2;

const documents = new OrgByteCache<AppConfigDocument>({
  mostBytes: 64 * mebibyte,
  mostBytesOfOrg: 32 * mebibyte,
});
const reading = new Map<string, Promise<AppConfigDocument | undefined>>();

/** The document of a config that is whole. It is kept for others: nobody changes it. Who asks while it is read waits for that. */
export async function storedDocument(
  db: Db,
  org: OrgId,
  id: string,
): Promise<AppConfigDocument | undefined> {
  const known = documents.get(org, id);
  if (known !== undefined) return known;
  const key = `${org} ${id}`;
  const read = reading.get(key) ?? readNow(db, org, id).finally(() => reading.delete(key));
  reading.set(key, read);
  return await read;
}

async function readNow(db: Db, org: OrgId, id: string): Promise<AppConfigDocument | undefined> {
  const found = await findSmallDocument(db, org, id, mostAtOnceBytes);
  if (found === undefined) return undefined;
  const { size_bytes: sizeBytes, document: text } = found;
  const value = text === null ? await readPieces(db, org, id) : (JSON.parse(text) as object);
  const document = value as AppConfigDocument; // stored as it was checked
  documents.set(org, id, { value: document, bytes: sizeBytes * bytesOfCharacter });
  return document;
}

/** Each part of a list by itself, and others in between. */
async function readPieces(db: Db, org: OrgId, id: string): Promise<Record<string, unknown>> {
  const document: Record<string, unknown> = {};
  let since = 0;
  for (const { section, nth, text } of await listPieces(db, org, id)) {
    const value: unknown = JSON.parse(text);
    if (nth === null) document[section] = value;
    else ((document[section] ??= []) as unknown[]).push(value); // of a section that is a list
    since += text.length;
    if (since < mostAtOnceBytes) continue;
    since = 0;
    await nextTurn();
  }
  return document;
}
