import { createHash } from "node:crypto";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { newPartsKey, partBytes, sealPart, sealPartsKey } from "../seals/sealed-parts.ts";
import { discardUpload, insertPart } from "./queries.ts";
import type { StateFacts } from "./state-scan.ts";

/** What was stored, and the facts that its row must have. */
export type Stored = {
  readonly sizeBytes: number;
  readonly parts: number;
  readonly keyId: string | null;
  readonly sealedKey: Buffer;
  readonly md5: Buffer;
  /** By key, so that equal bytes are recognized whichever key sealed them. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** The only part of a small value: it is written together with its row. */
  readonly onlyPart: Buffer | null;
};

type Parts = Pick<Broker, "db" | "seals">;
type Naming = { readonly orgId: OrgId; readonly id: string };

/**
 * Compresses, seals and writes bytes as they arrive. At most two parts are in memory: one is being written, one
 * is being filled. Nothing can be read before the row that names the parts is written.
 */
export async function storeParts(
  { db, seals }: Parts,
  { orgId, id }: Naming,
  pieces: AsyncIterable<Buffer>,
): Promise<Stored> {
  const key = newPartsKey();
  const [md5, sha256] = [createHash("md5"), createHash("sha256")];
  let writing: Promise<void> = Promise.resolve();
  let held: Buffer | undefined;
  let [sizeBytes, parts] = [0, 0];
  for await (const part of inParts(pieces)) {
    md5.update(part);
    sha256.update(part);
    sizeBytes += part.length;
    await writing;
    if (held !== undefined) writing = write(parts - 1, held);
    writing.catch(() => {}); // told when it is awaited
    held = part;
    parts += 1;
  }
  await writing;
  const digests = { md5: md5.digest(), sha256: sha256.digest() };
  const isSmall = parts <= 1;
  const last = held ?? Buffer.alloc(0);
  if (!isSmall) await write(parts - 1, last);
  const { keyId, bytes } = sealPartsKey(seals, { orgId, id, part: "key" }, { key, ...digests });
  return {
    sizeBytes,
    parts: Math.max(parts, 1),
    keyId,
    sealedKey: bytes,
    md5: digests.md5,
    fingerprints: seals.fingerprints(digests.sha256),
    onlyPart: isSmall ? await sealPart(key, 0, last) : null,
  };

  async function write(n: number, plain: Buffer): Promise<void> {
    await insertPart(db, orgId, { objectId: id, n, body: await sealPart(key, n, plain) });
  }
}

/** The same bytes in pieces of one size, the last one shorter. */
async function* inParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let rest = piece;
    while (size + rest.length >= partBytes) {
      const fitting = rest.subarray(0, partBytes - size);
      yield Buffer.concat([...gathered, fitting]);
      rest = rest.subarray(fitting.length);
      [gathered, size] = [[], 0];
    }
    if (rest.length > 0) gathered.push(rest);
    size += rest.length;
  }
  if (size > 0) yield Buffer.concat(gathered);
}

/** Deletes the upload at once when `store` fails; a task deletes what a killed broker leaves behind. */
export async function unlessDiscarded<Result>(
  { db }: { readonly db: Db },
  { orgId, id }: { readonly orgId: OrgId; readonly id: string },
  store: () => Promise<Result>,
): Promise<Result> {
  try {
    return await store();
  } catch (error) {
    await discardUpload(db, orgId, id).catch(() => {}); // the task will
    throw error;
  }
}

/** The same pieces; `look` sees each before it is passed on. */
export async function* watchPieces(
  pieces: AsyncIterable<Buffer>,
  look: (piece: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    look(piece);
    yield piece;
  }
}

/** The columns of a row that names the stored parts. */
export function storedColumns({ sizeBytes, parts, keyId, sealedKey, fingerprints }: Stored) {
  return {
    size_bytes: sizeBytes,
    parts,
    key_id: keyId,
    sealed_key: `\\x${sealedKey.toString("hex")}`,
    fingerprint: `\\x${fingerprints[keyId ?? ""] ?? ""}`,
  };
}

/** The columns with what is known of the state itself. */
export function factColumns({ serial, lineage, terraformVersion = "" }: StateFacts) {
  return { serial, lineage, terraform_version: terraformVersion };
}
