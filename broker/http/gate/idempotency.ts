import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Problem, problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import {
  type EarlierRequest,
  deleteKey,
  insertKey,
  keepAnswer,
} from "../../idempotency/queries.ts";
import { answerFinished } from "../answer/answer-finished.ts";
import { setHeader } from "../answer/set-header.ts";
import { tellThere } from "../answer/tell-there.ts";
import type { AppContext } from "../app-types.ts";
import { largeBytes } from "../body/reserve-memory.ts";
import { pathOfIds } from "./params-of.ts";
import { handleWithPermit } from "./with-permit.ts";

type Keyed = {
  readonly rule: RouteRule;
  readonly operationId: string;
  /** In Hono's spelling; an alias of it is the same. */
  readonly path: string;
  readonly handle: (c: AppContext) => Response | Promise<Response>;
  /** `once`: the answer holds a secret, which is never stored and so cannot be told again. */
  readonly mode: "replay" | "once";
  readonly text: string | Uint8Array;
};

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Runs the handler; with an `Idempotency-Key`, once for each key of the org, and replays its answer for a day. */
export async function replayOnce(c: AppContext, broker: Broker, keyed: Keyed): Promise<Response> {
  const key = takeIdempotencyKey(c);
  if (key === undefined) return handleWithPermit(c, broker, keyed);
  // Who reaches less is not told an answer that somebody else was given.
  const bound = c.get("actor").bound?.id;
  const path = pathOfIds(c, keyed.path);
  const fingerprint = createHash("sha256")
    .update(bound === undefined ? path : `${path} ${bound}`)
    .update("\0")
    .update(keyed.text)
    .digest();
  return withKey(c, broker, { keyed, key, fingerprint });
}

async function withKey(
  c: AppContext,
  broker: Broker,
  { keyed, key, fingerprint }: { keyed: Keyed; key: string; fingerprint: Buffer },
): Promise<Response> {
  const { db } = broker;
  const org = c.get("actor").orgId;
  const mark = `${keyed.operationId} ${fingerprint.toString("base64")}`;
  const release = await takeKey(c, broker, { name: `${org} ${key}`, mark });
  try {
    return await handleWithPermit(c, broker, { ...keyed, handle });
  } finally {
    release();
  }

  async function handle(): Promise<Response> {
    const taken = await insertKey(db, org, { key, operationId: keyed.operationId, fingerprint });
    if (!("takenAtMs" in taken)) return replay(c, broker, taken);
    const requestSeed = `${taken.takenAtMs} ${org} ${key} ${mark}`;
    c.set("actor", { ...c.get("actor"), requestSeed });
    const { status, body } = await answerOf(c, broker, keyed, key);
    const isOnce = keyed.mode === "once" || c.get("tellsOnce") === true;
    await keepAnswer(db, org, { key, status, body: isOnce ? null : body });
    return tell(c, broker, status, body);
  }
}

/** A long answer is held as its first was, which gave up its room when it was read to be kept. */
function tell(c: AppContext, broker: Broker, status: number, body: string): Response {
  if ((status === 200 || status === 201) && body.length > largeBytes)
    return answerFinished(c, broker, [body], { status });
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}

/** A request whose key is in use is refused with a short delay, because its client often retries at once. */
const heldMs = 500;

/** Of concurrent requests with one key at this broker only one runs; the others are refused without a query. */
async function takeKey(
  c: AppContext,
  broker: Broker,
  { name, mark }: { readonly name: string; readonly mark: string },
): Promise<() => void> {
  const underWay = broker.pendingIdempotencyKeys;
  const other = underWay.get(name);
  if (other !== undefined) {
    await pause(heldMs);
    replay(c, broker, { is_same: other === mark, status: null, body: null });
  }
  underWay.set(name, mark);
  return () => void underWay.delete(name);
}

/** A refused or failed request gives its key up, so that it can be tried again. */
async function answerOf(
  c: AppContext,
  broker: Broker,
  keyed: Keyed,
  key: string,
): Promise<{ status: number; body: string }> {
  try {
    const response = await keyed.handle(c);
    return { status: response.status, body: await response.text() };
  } catch (error) {
    await deleteKey(broker.db, c.get("actor").orgId, key);
    throw error;
  }
}

/** The request's `Idempotency-Key`, if it has one; 422 when it is none. */
export function takeIdempotencyKey(c: AppContext): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key === undefined || keyPattern.test(key)) return key;
  const detail = "An idempotency key must have 1 to 255 visible ASCII characters.";
  throw problem.invalid([
    { pointer: "header:Idempotency-Key", code: "invalid_idempotency_key", detail },
  ]);
}

/** Says in headers that the answer is an earlier request's with the same key, when it is. */
export function tellReplay<Answer extends { readonly isReplay: boolean }>(
  c: AppContext,
  answer: Answer,
): Answer {
  tellThere(c, { isNew: !answer.isReplay });
  if (answer.isReplay) setHeader(c, "idempotency-replayed", "true");
  return answer;
}

function replay(
  c: AppContext,
  broker: Broker,
  { is_same, status, body }: EarlierRequest,
): Response {
  if (!is_same) {
    const detail = "This idempotency key was already used for a different request.";
    throw problem.invalid([
      { pointer: "header:Idempotency-Key", code: "idempotency_key_reused", detail },
    ]);
  }
  if (status === null) {
    throw new Problem({
      status: 409,
      code: "idempotency_in_flight",
      detail: "The first request with this idempotency key is still in progress.",
      headers: { "retry-after": "1" },
    });
  }
  tellReplay(c, { isReplay: true });
  if (body === null) {
    throw problem.conflict(
      "secret_told_already",
      "The first request with this key succeeded. Its secret was shown once and is not stored. Revoke it and create a new one.",
    );
  }
  return tell(c, broker, status, body);
}
