import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { openPart, openPartsKey } from "../seals/sealed-parts.ts";
import { findPart } from "./queries.ts";
import type { StoredParts } from "./row.ts";

type Parts = Pick<Broker, "db" | "seals">;

/** What is kept in parts, ready to be read. */
export type Readable = {
  readonly md5: Buffer;
  readonly sizeBytes: number;
  readonly pieces: () => AsyncGenerator<Buffer>;
};

/** Opens what is kept in parts; refuses at once what this broker's keys do not open. */
export function openStored({ db, seals }: Parts, stored: StoredParts): Readable {
  const { id, org_id: orgId, parts, key_id: keyId, sealed_key: bytes } = stored;
  const { key, md5 } = openPartsKey(seals, { orgId, id, part: "key" }, { keyId, bytes });
  return { md5, sizeBytes: stored.size_bytes, pieces };

  /** The next part is fetched while this one is sent; no more than these two are in memory. */
  async function* pieces(): AsyncGenerator<Buffer> {
    let next = part(0);
    for (let n = 0; n < parts; n++) {
      const piece = await next;
      if (n + 1 < parts) {
        next = part(n + 1);
        next.catch(() => {}); // told when it is awaited, if it ever is
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

/** All of it at once, for what has to be looked into. */
export async function readWhole(readable: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readable.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
}
