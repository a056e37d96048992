import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { openPart, openPartsKey } from "../seals/sealed-parts.ts";
import { findPart } from "./queries.ts";
import type { StoredParts } from "./row.ts";

type Parts = Pick<Broker, "db" | "seals">;

/** A value that is stored in parts, ready to be read. */
export type Readable = {
  readonly md5: Buffer;
  readonly sizeBytes: number;
  readonly pieces: () => AsyncGenerator<Buffer>;
};

/** Opens a value that is stored in parts; refuses at once when this broker's keys do not open it. */
export function openStored({ db, seals }: Parts, stored: StoredParts): Readable {
  const { id, org_id: orgId, parts, key_id: keyId, sealed_key: bytes } = stored;
  const { key, md5 } = openPartsKey(seals, { orgId, id, part: "key" }, { keyId, bytes });
  return { md5, sizeBytes: stored.size_bytes, pieces };

  /** The next part is fetched while this one is sent; at most two parts are in memory. */
  async function* pieces(): AsyncGenerator<Buffer> {
    let next = part(0);
    for (let n = 0; n < parts; n++) {
      const piece = await next;
      if (n + 1 < parts) {
        next = part(n + 1);
        next.catch(() => {}); // the error is handled where it is awaited
      }
      yield piece;
    }
  }

  async function part(n: number): Promise<Buffer> {
    const body = await findPart(db, orgId as OrgId, { objectId: id, n }); // of a row of that org
    if (body === undefined) throw new Error(`part ${n} of ${id} is gone`);
    return openPart(key, n, body);
  }
}

/** The whole value at once, for callers that must parse it. */
export async function readWhole(readable: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readable.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
}
