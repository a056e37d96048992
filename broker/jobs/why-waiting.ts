import type { Waiting, WaitingCode, WaitingReason } from "../../shared/api/why-waiting.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findWaitingFacts, type PauseFact, type WaitingFacts } from "./waiting-facts.ts";

/**
 * Why a job waits, from the same columns by which jobs are released and claimed; null when it is not waiting.
 * The first reason is what must change first.
 */
export async function whyWaiting(db: Db, org: OrgId, jobId: string): Promise<Waiting | null> {
  const facts = await findWaitingFacts(db, org, jobId);
  return facts === undefined ? null : explain(facts);
}

/** The same from facts that were read. */
export function explain(facts: WaitingFacts): Waiting {
  if (facts.has_slot) return { reasons: [...unwilling(facts), onOffer(facts)], position: null };
  const reasons = [
    ...unwilling(facts),
    ...predecessor(facts),
    ...(facts.held === null ? capacity(facts) : [held(facts, facts.held)]),
  ];
  if (reasons.length === 0 && facts.withdrawals > 0) reasons.push(withdrawn(facts));
  if (reasons.length === 0) reasons.push(due(facts));
  if (facts.before > 0) reasons.push(behind(facts));
  return { reasons, position: facts.before + 1 };
}

function onOffer(facts: WaitingFacts): WaitingReason {
  const left = inWords(facts.left_s);
  return reason(
    "on-offer",
    `${group(facts)} has a slot for it: a process can take it, ${left} left`,
  );
}

/** The release checks `held`, which is computed from pauses and lifecycle. */
function held(facts: WaitingFacts, why: string): WaitingReason {
  const name = `runner ${facts.runner_name}`;
  if (why === "runner paused") return paused("runner-paused", name, facts.runner_pause);
  if (why === "group paused") {
    return paused("group-paused", `the runner group of ${name}`, facts.group_pause);
  }
  const code = why === "disabled" ? "runner-disabled" : "runner-deprovisioned";
  return reason(code, `${name} is ${why}`);
}

function paused(code: WaitingCode, what: string, { by, until, note }: PauseFact): WaitingReason {
  const words = [`${what} is paused`];
  if (by !== null && by !== "") words.push(`by ${by}`);
  if (until !== null) words.push(`until ${until}`);
  const text = words.join(" ");
  return { ...reason(code, note === null || note === "" ? text : `${text}: ${note}`), until };
}

function predecessor({ blocked_by: id, blocked_s: leftS }: WaitingFacts): WaitingReason[] {
  if (id === null) return [];
  const left = leftS === null ? "" : `, ${inWords(leftS)} left`;
  return [
    reason("predecessor-stopping", `the attempt before it (${id}) may still be running${left}`),
  ];
}

function capacity(facts: WaitingFacts): WaitingReason[] {
  if (facts.offered === 0) return [...updating(facts), nobodyServes(facts)];
  if (facts.parallelism === 0) {
    return [reason("parallelism-zero", `the settings allow ${group(facts)} no job at a time`)];
  }
  if (facts.in_use < facts.slots) return [];
  return [full(facts), ...stillStopping(facts)];
}

/** Nobody serves it because the agent is being changed just now. */
function updating({ update, runner_name: name }: WaitingFacts): WaitingReason[] {
  if (update === null) return [];
  const to = update.version === null ? "" : ` to ${update.version}`;
  const what = update.type === "mng-runner-restart" ? "restarted" : `updated${to}`;
  const detail = `the agent of runner ${name} is being ${what} (job ${update.job_id}, running ${inWords(update.since_s)})`;
  return [{ ...reason("agent-updating", detail), job_ids: [update.job_id] }];
}

function nobodyServes(facts: WaitingFacts): WaitingReason {
  const { processes, runner_name: name, job_group: jobGroup } = facts;
  const live = processes.filter(({ status }) => status === "pending" || status === "active");
  const ids = { process_ids: live.map(({ id }) => id) };
  if (processes.length === 0) return reason("no-process", `runner ${name} never had a process`);
  if (live.length === 0) {
    const ago = inWords(Math.min(...processes.map(({ silent_s: silentS }) => silentS)));
    return reason("no-process", `no process of runner ${name} is alive (last beat ${ago} ago)`);
  }
  const staying = live.filter(({ is_leaving: isLeaving }) => !isLeaving);
  if (staying.length === 0) {
    return {
      ...reason("processes-draining", `all processes of runner ${name} are shutting down`),
      ...ids,
    };
  }
  const registered = staying.filter(({ must_register_anew: mustAnew }) => !mustAnew);
  if (registered.length === 0) {
    const detail = `the process of runner ${name} was given up after its silence; it was told to register anew`;
    return { ...reason("process-not-registered", detail), ...ids };
  }
  const served = [...new Set(registered.flatMap(({ serves }) => serves))];
  const others = served.length === 0 ? "none" : served.map((one) => `'${one}'`).join(", ");
  const detail = `no live process serves group ${jobGroup === "" ? "''" : jobGroup} (served: ${others})`;
  return { ...reason("group-not-served", detail), ...ids };
}

/** All processes that could take the job say that they take none at present. */
function unwilling({ processes, job_group: group }: WaitingFacts): WaitingReason[] {
  const able = processes.filter(
    (one) =>
      (one.status === "pending" || one.status === "active") &&
      !one.is_leaving &&
      !one.must_register_anew &&
      one.serves.includes(group),
  );
  if (able.length === 0 || able.some(({ takes_no_jobs: why }) => why === null)) return [];
  const words = able.map(({ id, takes_no_jobs: why }) => `process ${id} takes no jobs: ${why}`);
  const process_ids = able.map(({ id }) => id);
  return [{ ...reason("process-takes-none", words.join("; ")), process_ids }];
}

function full(facts: WaitingFacts): WaitingReason {
  const { holders, in_use: inUse, slots } = facts;
  const shown = holders.map(({ job_id: id, status, since_s: sinceS }) => {
    const doing = status === "in-progress" ? "running" : "on offer";
    return `job ${id}, ${doing} ${inWords(sinceS)}`;
  });
  const who = shown.length === 0 ? "" : ` (${shown.join("; ")})`;
  const detail = `${group(facts)} is full: ${inUse} of ${slots} in use${who}`;
  return { ...reason("group-full", detail), job_ids: holders.map(({ job_id: id }) => id) };
}

const endings: Record<string, string> = {
  cancelled: "a cancelled",
  "timed-out": "a timed-out",
  forced: "a forcibly ended",
  lost: "a lost",
};

function stillStopping({ stopping }: WaitingFacts): WaitingReason[] {
  return stopping.map(({ job_id: id, type, reason: why, left_s: leftS }) => ({
    ...reason(
      "still-stopping",
      `${endings[why] ?? "an ended"} ${type} is still stopping, ${inWords(leftS)} left`,
    ),
    job_ids: [id],
  }));
}

function withdrawn({ withdrawals, available_timeout: ns, ...facts }: WaitingFacts): WaitingReason {
  const times = withdrawals === 1 ? "once" : `${withdrawals} times`;
  const detail =
    `it was offered ${times} and no process took it within ${inWords(ns / 1e9)}: ` +
    `it waits until a process asks for ${group(facts)}`;
  return reason("withdrawn", detail);
}

function due(facts: WaitingFacts): WaitingReason {
  const free = facts.slots - facts.in_use;
  const slots = free === 1 ? "a slot is free" : `${free} slots are free`;
  return reason("due-for-release", `${slots} in ${group(facts)}: it will be available at once`);
}

function behind({ before }: WaitingFacts): WaitingReason {
  return reason(
    "behind-others",
    `${before} ${before === 1 ? "job is" : "jobs are"} ahead of it in the queue`,
  );
}

function group({ job_group: name }: Pick<WaitingFacts, "job_group">): string {
  return `group ${name === "" ? "''" : name}`;
}

function reason(code: WaitingCode, detail: string): WaitingReason {
  return { code, detail };
}

/** "40 s", "7 min", "3 h", "2 days". */
function inWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 90) return `${whole} s`;
  if (whole < 90 * 60) return `${Math.round(whole / 60)} min`;
  if (whole < 48 * 3600) return `${Math.round(whole / 3600)} h`;
  return `${Math.round(whole / 86_400)} days`;
}
