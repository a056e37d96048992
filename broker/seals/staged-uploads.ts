import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Db } from "../database/connect.ts";
import { copyEnd, copyHead, copyRow } from "../database/copy-binary.ts";
import { settleWithin } from "../database/driver-workarounds.ts";
import type { Limiter } from "../database/limiter.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { LargeText } from "./large-text.ts";
import { type SealedThing, type Seals, sealedOverhead } from "./seals.ts";

/** A staged upload, with the member names of the type `sent_upload`. */
export type SentUpload = { readonly id: string; readonly bytes: number };

type Upload = SentUpload & { readonly pieces: () => Generator<Buffer> };
type Parts = { readonly db: Db; readonly largeWrites: Limiter };

/** The most that one statement carries, so that others get a turn and no connection is held for long. */
const turnBytes = 8 * 1024 * 1024;

/** Large texts that are sealed and uploaded in pieces before the statement that stores them. */
export class StagedUploads {
  readonly #uploads: Upload[] = [];

  get isEmpty(): boolean {
    return this.#uploads.length === 0;
  }

  /** Seals the text when it is uploaded; returns the reference for the statement, and the key. */
  seal(seals: Seals, thing: SealedThing, text: LargeText): { sent: SentUpload; keyId: string } {
    const sealing = seals.sealing(thing);
    if (sealing === undefined) throw new Error("cannot seal a large text without a key");
    const { head, tag } = sealedOverhead;
    const sent = { id: newId("upl"), bytes: head + text.sizeBytes + tag };
    this.#uploads.push({ ...sent, pieces: () => sealing.run(text.slices()) });
    return { sent, keyId: sealing.keyId };
  }

  /**
   * Uploads the sealed texts, then runs the statement that stores them. The upload is deleted at once; a task deletes what a killed
   * broker leaves behind.
   */
  async within<Result>(
    { db, largeWrites }: Parts,
    org: OrgId,
    run: () => Promise<Result>,
  ): Promise<Result> {
    try {
      for (const upload of this.#uploads) await send({ db, largeWrites }, org, upload);
      return await largeWrites(run);
    } finally {
      await discard(db, org, this.#uploads).catch(() => {}); // the task will
    }
  }
}

async function send({ db, largeWrites }: Parts, org: OrgId, { id, pieces }: Upload): Promise<void> {
  const left = { pieces: pieces(), isSent: false };
  let n = 0;
  while (!left.isSent) {
    await largeWrites(async () => {
      const into = await db`
        copy sent_pieces (upload_id, n, org_id, body) from stdin with (format binary)`.writable();
      await settleWithin(pipeline(Readable.from(rows()), into));
    });
  }

  function* rows(): Generator<Buffer> {
    yield copyHead;
    for (let bytes = 0; bytes < turnBytes && !left.isSent;) {
      const next: IteratorResult<Buffer, void> = left.pieces.next();
      left.isSent = next.done === true;
      if (next.done === true) break;
      bytes += next.value.length;
      yield* copyRow([id, n++, org, next.value]);
    }
    yield copyEnd;
  }
}

async function discard(db: Db, org: OrgId, uploads: readonly SentUpload[]): Promise<void> {
  const ids = uploads.map(({ id }) => id);
  await db`delete from sent_pieces where upload_id = any(${ids}) and org_id = ${org}`;
}
