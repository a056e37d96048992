import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireQueue } from "../queues/require-queue.ts";
import { topics } from "../wake/wakes.ts";
import { fullQueue } from "./full-queue.ts";
import { findSignal } from "./queries.ts";
import {
  hasRedrivable,
  listDead,
  listNotDead,
  redriveRows,
  type RedriveRow,
} from "./redrive-queries.ts";
import { askRedrive, mayAllDeeds, type RedriveAnswers } from "./require-redrive.ts";
import type { Filer } from "./require-targets.ts";

const batch = 1_000;
/** After so long a request answers what it has done. */
const enoughMs = 10_000;
/** So much of the contents of signals one request opens, to see what they ask. */
const mostBytes = 32 * 1024 * 1024;

type Parts = Pick<Broker, "db" | "seals" | "wakes">;
type RedriveOutcome = { readonly signalId: string; readonly outcome: string };
type Redriven = {
  readonly redriven: number;
  /** Those that stay dead because the caller may not do what they do. */
  readonly forbidden: number;
  /** What came of each that was named. */
  readonly told: readonly RedriveOutcome[];
  /** Others can be redriven: by another request, or once there is room. */
  readonly hasMore: boolean;
};
type RedriveRequest = {
  readonly told: readonly RedriveOutcome[];
  readonly refusals: RedriveAnswers["refusals"];
  readonly left: number;
  readonly openedBytes: number;
};
type Of = { readonly queueId: string; readonly ids: readonly string[] };

/**
 * Puts dead signals of a queue back in line: those named, or all, oldest first, as many as there is room and time for. Those that do
 * what the caller may not do by hand stay dead.
 */
export async function redriveSignals(
  parts: Parts,
  caller: Filer,
  { queueId, ids }: { readonly queueId: string; readonly ids: readonly string[] | undefined },
): Promise<Redriven> {
  await requireQueue(parts.db, caller.orgId, queueId);
  if (ids === undefined) return await redriveAll(parts, caller, queueId);
  const untilMs = performance.now() + enoughMs;
  const of = { queueId, ids: [...new Set(ids)], mostBytes, untilMs };
  const { told, left } = await redriveAsked(parts, caller, of);
  const forbidden = told.filter(({ outcome }) => outcome === "forbidden");
  const but = forbidden.map(({ signalId }) => signalId);
  return {
    redriven: countOf(told, "redriven"),
    forbidden: forbidden.length,
    told,
    hasMore: left > 0 || (await hasRedrivable(parts.db, caller.orgId, queueId, but)),
  };
}

/**
 * Puts one dead signal back in line; 404, 403 for what it does, 409 `signal_not_dead` or `dedupe_key_taken`, 429 `queue_full` or
 * `org_queues_full`, 503 where it was not looked at in time what it does.
 */
export async function redriveSignal(
  parts: Parts,
  caller: Filer,
  id: string,
  bounds = { mostBytes, enoughMs },
): Promise<void> {
  const { orgId: org } = caller;
  const found = await findSignal(parts.db, org, id);
  if (found === undefined) throw problem.notFound("signal");
  const untilMs = performance.now() + bounds.enoughMs;
  const one = { queueId: found.queue_id, ids: [id], mostBytes: bounds.mostBytes, untilMs };
  const { told, refusals } = await redriveAsked(parts, caller, one);
  const refusal = refusals.get(id);
  if (refusal !== undefined) throw refusal;
  switch (told[0]?.outcome) {
    case "redriven":
      return;
    case "left":
      throw problem.unavailable(
        "This broker could not check what the signal does and whether you may run it. The signal is still dead; try again.",
        1,
      );
    case "not-dead":
      throw problem.conflict("signal_not_dead", `Only a dead signal can be redriven.`);
    case "kept":
      throw problem.conflict(
        "dedupe_key_taken",
        "A live signal of the queue has the same dedupe_key.",
      );
    case "full":
      throw await fullQueue(parts.db, org);
    default:
      throw problem.notFound("queue"); // it was deleted
  }
}

/** Each is tried once, though it may die again meanwhile. */
async function redriveAll(parts: Parts, caller: Filer, queueId: string): Promise<Redriven> {
  const untilMs = performance.now() + enoughMs;
  let [redriven, forbidden, bytesLeft, after] = [0, 0, mostBytes, ""];
  for (;;) {
    const page = { after, limit: batch };
    const ids = await listDead(parts.db, caller.orgId, queueId, page);
    if (ids.length === 0) return { redriven, forbidden, told: [], hasMore: false };
    const of = { queueId, ids, mostBytes: bytesLeft, untilMs };
    const { told, left, openedBytes } = await redriveAsked(parts, caller, of);
    redriven += countOf(told, "redriven");
    forbidden += countOf(told, "forbidden");
    bytesLeft -= openedBytes;
    after = ids.at(-1) ?? "";
    const isFull = countOf(told, "full") > 0;
    if (isFull || left > 0 || performance.now() > untilMs)
      return { redriven, forbidden, told: [], hasMore: true };
  }
}

async function redriveAsked(
  parts: Parts,
  caller: Filer,
  of: Of & { readonly mostBytes: number; readonly untilMs: number },
): Promise<RedriveRequest> {
  const { queueId, ids } = of;
  if (mayAllDeeds(caller)) {
    const told = await redriveSome(parts, caller.orgId, of);
    return { told, refusals: new Map(), left: 0, openedBytes: 0 };
  }
  const { refusals, permitted, left, openedBytes } = await askRedrive(parts, caller, of);
  const looked = new Set([...refusals.keys(), ...permitted, ...left]);
  const unasked = ids.filter((id) => !looked.has(id));
  const done =
    permitted.length === 0
      ? []
      : await redriveSome(parts, caller.orgId, { queueId, ids: permitted });
  const others =
    unasked.length === 0 ? [] : await listNotDead(parts.db, caller.orgId, queueId, unasked);
  const outcomes = new Map([...done, ...others.flatMap(toTold)].map((one) => [one.signalId, one]));
  const told = ids.flatMap((id): RedriveOutcome[] => {
    if (refusals.has(id)) return [{ signalId: id, outcome: "forbidden" }];
    if (left.has(id)) return [{ signalId: id, outcome: "left" }];
    const one = outcomes.get(id);
    return one === undefined ? [] : [one];
  });
  return { told, refusals, left: left.size, openedBytes };
}

async function redriveSome({ db, wakes }: Parts, org: OrgId, of: Of): Promise<RedriveOutcome[]> {
  const rows = await redriveRows(db, org, { ...of, batch });
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
  return rows.flatMap(toTold);
}

function toTold({
  signal_id: signalId,
  outcome,
}: Pick<RedriveRow, "signal_id" | "outcome">): RedriveOutcome[] {
  return signalId === null || outcome === null ? [] : [{ signalId, outcome }];
}

const countOf = (told: readonly RedriveOutcome[], wanted: string): number =>
  told.filter(({ outcome }) => outcome === wanted).length;
