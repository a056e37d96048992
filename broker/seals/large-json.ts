import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { Lane } from "../database/make-lane.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { discardUpload, insertTextPart } from "../workspaces/queries.ts";
import type { LargeText } from "./large-text.ts";
import type { SealedThing, Seals } from "./seals.ts";

/** As much of it travels in one statement. */
const partLength = 512 * 1024;

type Parts = { readonly db: Db; readonly lane: Lane };

/** The JSON of a statement, and within it large texts that are sealed while it is sent. */
export class LargeJson {
  readonly #nonce = randomBytes(16).toString("hex");
  readonly #sources: (() => Generator<string>)[] = [];

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /** Seals the text as this thing; answers what stands for its base64 in the JSON, and the key. */
  seal(seals: Seals, thing: SealedThing, text: LargeText): { token: string; keyId: string } {
    const sealing = seals.sealing(thing);
    if (sealing === undefined) throw new Error("a large text was to be sealed without a key");
    this.#sources.push(() => base64(sealing.run(text.slices())));
    const nth = String(this.#sources.length - 1).padStart(8, "0");
    return { token: `${this.#nonce}${nth}`, keyId: sealing.keyId };
  }

  /** The whole JSON, from its text with what stands for others. */
  *#pieces(text: string): Generator<string> {
    const parts = text.split(new RegExp(`${this.#nonce}(\\d{8})`));
    for (const [at, part] of parts.entries()) {
      if (at % 2 === 0) yield part;
      else yield* this.#sources[Number(part)]?.() ?? [];
    }
  }

  /**
   * Sends the JSON in pieces, then runs the statement over it. What was sent is taken away again at once; what a kill
   * leaves behind, by a task.
   */
  async within<Result>(
    { db, lane }: Parts,
    org: OrgId,
    { text, run }: { text: string; run: (json: postgres.Fragment) => Promise<Result> },
  ): Promise<Result> {
    const objectId = newId("upl");
    try {
      let n = 0;
      for (const body of inParts(this.#pieces(text))) {
        const part = { objectId, n: n++, body };
        await lane(() => insertTextPart(db, org, part));
        await turn();
      }
      const json = db`
        (select convert_from(string_agg(p.body, ''::bytea order by p.n), 'UTF8')::json
           from terraform_state_parts p where p.object_id = ${objectId} and p.org_id = ${org})`;
      return await lane(() => run(json));
    } finally {
      await discardUpload(db, org, objectId).catch(() => {}); // the task will
    }
  }
}

/** The same text in pieces of about one length. */
function* inParts(pieces: Iterable<string>): Generator<string> {
  let gathered = "";
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < partLength) continue;
    yield gathered;
    gathered = "";
  }
  if (gathered !== "") yield gathered;
}

/** Each piece ends where a whole number of letters does, so that they make one text. */
function* base64(pieces: Iterable<Buffer>): Generator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString("base64", 0, whole);
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield rest.toString("base64");
}
