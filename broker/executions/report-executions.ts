import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { Limiter } from "../database/limiter.ts";
import { newId } from "../database/new-id.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { LargeText } from "../seals/large-text.ts";
import type { Seals } from "../seals/seals.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import { type Topic, topics, type Wakes } from "../wake/wakes.ts";
import type { Report } from "./report.ts";
import type { ExecutionRow } from "./row.ts";
import { sealLargeOutputs } from "./sealed-outputs.ts";
import { sealLargeResult } from "./sealed-result.ts";

export const reportOutcomes = [
  "ok",
  "unchanged",
  "not-found",
  "backwards",
  "ended",
  "differs",
  "needs-result",
  "too-late-to-give-back",
] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

export type Reported = {
  readonly outcome: ReportOutcome;
  readonly jobStatus: RunnerJobStatus | null;
  readonly execution: ExecutionRow | null;
};
export type ReportExecution = (report: Report) => Promise<Reported>;

export type ReportParts = {
  readonly db: Db;
  readonly wakes: Wakes;
  readonly seals: Seals;
  readonly largeWrites: Limiter;
};

type HotParts = Omit<ReportParts, "db"> & { readonly hotPath: HotPath };

type AnswerRow = ExecutionRow & {
  n: number;
  outcome: ReportOutcome | "wake";
  job_status: RunnerJobStatus | null;
  wakes_runner_id: string | null;
};

/** Takes one report. Reports that arrive together travel in one statement; those of one execution keep their order. */
export function makeReportExecution({ hotPath, ...parts }: HotParts): ReportExecution {
  const take = (db: Db, reports: readonly Report[]): Promise<Reported[]> =>
    reportExecutions({ ...parts, db }, reports);
  const together = makeBatcher((reports: readonly Report[]) => take(hotPath.db, reports), {
    max: 200,
    separate: hotPath.separate(take),
    bytesOf: lengthOf,
    maxBytes: mostTogether,
  });
  return async (report) => {
    if (!isLarge(report)) return together(report);
    const [alone] = await hotPath.runAlone(report.orgId, (db) => take(db, [report]));
    if (alone === undefined) throw new Error("take_reports left a report unanswered");
    return alone;
  };
}

const largeLength = 256 * 1024;
/** About the most that one statement of many reports carries. */
const mostTogether = 1024 * 1024;

/** Large reports go alone, so that small ones do not wait for them. */
const isLarge = (report: Report): boolean =>
  report.result?.large !== undefined ||
  report.outputs instanceof LargeText ||
  lengthOf(report) > largeLength;

function lengthOf({ result, outputs }: Report): number {
  const { contents, contents_display, contents_gzip, contents_display_gzip } = result ?? {};
  const texts = [contents, contents_display, contents_gzip, contents_display_gzip];
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (outputs === undefined || outputs instanceof LargeText) return length;
  return length + JSON.stringify(outputs).length;
}

/** Takes many reports and answers each, in order. */
export async function reportExecutions(
  parts: ReportParts,
  reports: readonly Report[],
): Promise<Reported[]> {
  const { wakes } = parts;
  const answers = new Map<Report, Reported>();
  for (const round of rounds(reports)) {
    const rows = await takeReports(parts, round);
    wakes.notify(changed(round, rows));
    for (const row of rows) {
      const report = round[row.n];
      if (report !== undefined && row.outcome !== "wake") answers.set(report, toReported(row));
    }
  }
  return reports.map((report) => {
    const answer = answers.get(report);
    if (answer === undefined) throw new Error("take_reports left a report unanswered");
    return answer;
  });
}

/** Each execution at most once a round. */
function rounds(reports: readonly Report[]): Report[][] {
  const seen = new Map<string, number>();
  const split: Report[][] = [];
  for (const report of reports) {
    const at = seen.get(report.executionId) ?? 0;
    seen.set(report.executionId, at + 1);
    (split[at] ??= []).push(report);
  }
  return split;
}

async function takeReports(
  { db, largeWrites, seals }: ReportParts,
  round: readonly Report[],
): Promise<AnswerRow[]> {
  const ahead = new StagedUploads();
  const batch = await Promise.all(round.map((report, n) => toJson({ seals, ahead }, report, n)));
  const text = JSON.stringify(batch);
  const run = async (): Promise<AnswerRow[]> =>
    db<AnswerRow[]>`select * from take_reports(${text}::text::json)`;
  const [first] = round;
  if (ahead.isEmpty || first === undefined) return run();
  return ahead.within({ db, largeWrites }, first.orgId as OrgId, run); // of the caller
}

type Sealing = { readonly seals: Seals; readonly ahead: StagedUploads };

async function toJson({ seals, ahead }: Sealing, report: Report, n: number) {
  const { orgId, executionId: id, result, outputs } = report;
  return {
    n,
    org_id: report.orgId,
    runner_id: report.runnerId,
    job_id: report.jobId,
    execution_id: report.executionId,
    status: report.status,
    description: report.description,
    last_record: report.lastRecord,
    give_back: report.giveBack,
    result: result && (await sealLargeResult(seals, ahead, { orgId, id, result })),
    ...(outputs && (await sealLargeOutputs(seals, ahead, { orgId, id, outputs }))),
    result_id: report.result && newId("res"),
    outputs_id: report.outputs && newId("out"),
  };
}

function toReported(row: AnswerRow): Reported {
  const { outcome, job_status: jobStatus } = row;
  return {
    outcome: outcome as ReportOutcome, // the caller left the wake rows out
    jobStatus,
    execution: outcome === "not-found" ? null : Object.assign(row, { logs_complete: false }),
  };
}

function changed(reports: readonly Report[], rows: readonly AnswerRow[]): Topic[] {
  const told = new Set<Topic>();
  for (const { n, outcome, job_status, wakes_runner_id } of rows) {
    if (outcome === "wake" && wakes_runner_id !== null) told.add(topics.queue(wakes_runner_id));
    const report = reports[n];
    if (outcome === "ok" && report !== undefined && job_status !== "in-progress") {
      told.add(topics.org(report.orgId));
    }
  }
  return [...told];
}
