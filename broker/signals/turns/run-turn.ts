import { parseExactly } from "../../../shared/parse-exactly.ts";
import { Problem } from "../../../shared/problem.ts";
import { type SignalType, signalTypes } from "../../../shared/signal-types.ts";
import { topics } from "../../wake/wakes.ts";
import { requireTargetsStill } from "../require-targets.ts";
import { afterRefusal } from "./after-refusal.ts";
import { runEmitterStart, runEmitterStop } from "./emitters.ts";
import { runFlush } from "./flush.ts";
import { runHttpCall } from "./http-call.ts";
import { keepLease } from "./keep-lease.ts";
import { awaitJob, beginTurn, reportTurn } from "./queries.ts";
import { cancelJobOf, runRunnerJob } from "./runner-job.ts";
import { sayIssues } from "./say-issues.ts";
import type { PutOff, RunTurn, Turn, TurnLease, TurnOutcome, TurnParts } from "./turn.ts";
import { untilAnswered } from "./until-answered.ts";

type Runs = { readonly schema: SignalType["schema"]; readonly run: RunTurn<never> };

/** How each built-in type is executed. */
const runs = {
  noop: async () => ({ event: "finish" }),
  "runner-job": runRunnerJob,
  "http-call": runHttpCall,
  "emitter-start": runEmitterStart,
  "emitter-stop": runEmitterStop,
  flush: runFlush,
} as const satisfies Readonly<
  Record<
    Exclude<
      keyof typeof signalTypes,
      "workflow" | "action-run" | "drift-run" | "drift-run-sandbox" | "image-update"
    >,
    RunTurn<never>
  >
>;

type Running = {
  readonly stopped: AbortSignal;
  /** Who executes it, to be shown with the signal. */
  readonly beginner: string;
  readonly putOff: PutOff<TurnLease>;
};

/**
 * Executes a signal whose lease is the current one and that nobody has begun, by a lease of its own, keeps that meanwhile, and
 * reports how it ended. Otherwise nothing happens. What goes wrong is the execution's outcome; where even that cannot be told,
 * the lease runs out.
 */
export async function runTurn(
  parts: TurnParts,
  offered: TurnLease,
  { stopped, beginner, putOff }: Running,
): Promise<void> {
  const lease = { ...offered, leaseId: crypto.randomUUID() };
  const begin = () => beginTurn(parts.db, offered, { leaseId: lease.leaseId, beginner });
  const row = await untilAnswered(stopped, begin);
  if (row === undefined) return;
  const kept = keepLease(parts, lease, stopped);
  try {
    const outcome = await executed(parts, lease, row, kept.signal);
    if (outcome.event === "put-off") {
      await untilAnswered(kept.signal, () => putOff(lease, outcome.afterMs));
    } else if (outcome.event !== "left") await settle(parts, lease, outcome, kept.signal);
  } finally {
    kept.stop();
  }
}

type Row = NonNullable<Awaited<ReturnType<typeof beginTurn>>>;

async function executed(
  parts: TurnParts,
  lease: TurnLease,
  row: Row,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const { orgId, signalId } = lease;
  try {
    const thing = { orgId, id: signalId, part: "signal" };
    const bytes = parts.seals.open(thing, { keyId: row.key_id, bytes: row.contents });
    const turn: Turn = {
      ...lease,
      type: row.type,
      actorId: row.created_by_id,
      attempt: row.attempt,
      jobId: row.job_id ?? undefined,
      text: bytes.toString("utf8"),
      signal,
    };
    return await execute(parts, turn);
  } catch (error) {
    return afterError(parts, lease, error);
  }
}

async function execute(parts: TurnParts, turn: Turn): Promise<TurnOutcome> {
  const known: Readonly<Record<string, Runs>> = Object.fromEntries(
    Object.entries(runs).map(([name, run]) => [
      name,
      { run, schema: signalTypes[name as keyof typeof runs].schema },
    ]),
  );
  const row = Object.hasOwn(known, turn.type) ? known[turn.type] : undefined;
  if (row === undefined) return giveUp(`this broker does not execute the type ${turn.type}`);
  const read = row.schema.safeParse(parseExactly(turn.text));
  if (!read.success) {
    return giveUp(`its contents do not fit the type ${turn.type}: ${sayIssues(read.error)}`);
  }
  const isBegun = turn.jobId !== undefined; // what it does is under way, by an execution before this one
  if (!isBegun) await requireTargetsStill(parts, turn, { type: turn.type, value: read.data });
  return await row.run(parts, turn, read.data as never); // parsed by the schema of its own row
}

const giveUp = (description: string): TurnOutcome => ({ event: "give-up", description });

/** A refusal is an answer of ours; whatever else is thrown is a bug, or the database is away. */
function afterError({ log }: TurnParts, lease: TurnLease, error: unknown): TurnOutcome {
  if (error instanceof Problem) return afterRefusal(error);
  log.error({ err: error, signal_id: lease.signalId }, "a signal could not be executed");
  return { event: "fail", description: "the broker could not execute it: see its log" };
}

async function settle(
  parts: TurnParts,
  lease: TurnLease,
  outcome: Exclude<TurnOutcome, { event: "left" | "put-off" }>,
  signal: AbortSignal,
): Promise<void> {
  const { db, seals, wakes } = parts;
  const tell = (queueIds: readonly string[]): void => {
    if (queueIds.length > 0) wakes.notify(queueIds.map((id) => topics.signals(id)));
  };
  if (outcome.event === "await-job") {
    const { jobId } = outcome;
    const answer = await untilAnswered(signal, () => awaitJob(db, lease, jobId));
    tell(answer.queueIds);
    if (answer.outcome === "lost") await cancelJobOf(parts, lease, jobId);
    return;
  }
  const { orgId, signalId } = lease;
  const sealed =
    outcome.result &&
    seals.seal(
      { orgId, id: signalId, part: "signal-result" },
      Buffer.from(JSON.stringify(outcome.result)),
    );
  const { queueIds } = await untilAnswered(signal, () =>
    reportTurn(db, lease, {
      event: outcome.event,
      ...("description" in outcome && { description: outcome.description.slice(0, longest) }),
      ...("retryInMs" in outcome &&
        outcome.retryInMs !== undefined && { retryInNs: Math.round(outcome.retryInMs * 1e6) }),
      ...(sealed !== undefined && { keyId: sealed.keyId, result: sealed.bytes }),
    }),
  );
  tell(queueIds);
}

const longest = 1000;
