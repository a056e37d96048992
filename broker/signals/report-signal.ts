import type { SignalStatus } from "../../shared/queue-signal.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { topics, type Wakes } from "../wake/wakes.ts";

/** What a worker says of a signal that it has claimed. */
export type SignalReport = {
  readonly orgId: OrgId;
  readonly queueId: string;
  readonly signalId: string;
  readonly leaseId: string;
  /** give-up: it failed and is not to be retried. */
  readonly event: "finish" | "fail" | "give-up" | "extend";
  readonly description?: string | undefined;
  readonly retryInNs?: number | undefined;
  readonly leaseNs?: number | undefined;
  /** The text of the result's JSON. */
  readonly result?: string | undefined;
};

export type SignalReported = {
  readonly outcome: "done" | "repeated" | "lost" | "not-found";
  readonly status: SignalStatus | null;
  readonly leaseUntil: Date | null;
};
export type ReportSignal = (report: SignalReport) => Promise<SignalReported>;

type Parts = { readonly hotPath: HotPath; readonly wakes: Wakes; readonly seals: Seals };
type AnswerRow = {
  n: number | null;
  outcome: SignalReported["outcome"];
  status: SignalStatus | null;
  lease_until: Date | null;
  wake: string | null;
};

const mostReports = 200;
/** About the most that one statement of many reports carries. */
const mostTogether = 1024 * 1024;

/** Takes one report. Reports that arrive together travel in one statement; those of one signal keep their order. */
export function makeReportSignal({ hotPath, wakes, seals }: Parts): ReportSignal {
  const take = (db: Db, reports: readonly SignalReport[]): Promise<SignalReported[]> =>
    reportSignals({ db, wakes, seals }, reports);
  return makeBatcher((reports: readonly SignalReport[]) => take(hotPath.db, reports), {
    max: mostReports,
    separate: hotPath.separate(take),
    bytesOf: ({ result = "", description = "" }) => result.length + description.length,
    maxBytes: mostTogether,
  });
}

async function reportSignals(
  { db, wakes, seals }: Omit<Parts, "hotPath"> & { readonly db: Db },
  reports: readonly SignalReport[],
): Promise<SignalReported[]> {
  const batch = JSON.stringify(reports.map((report, n) => toJson(seals, report, n)));
  const rows = await db<AnswerRow[]>`
    select n, outcome, status, lease_until, wake from report_claimed_signals(${batch}::text::json)`;
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
  const answers: SignalReported[] = reports.map(() => notFound);
  for (const { n, outcome, status, lease_until: leaseUntil } of rows) {
    if (n !== null) answers[n] = { outcome, status, leaseUntil };
  }
  return answers;
}

const notFound: SignalReported = { outcome: "not-found", status: null, leaseUntil: null };

function toJson(seals: Seals, report: SignalReport, n: number) {
  const { orgId, signalId, result } = report;
  const sealed =
    result === undefined
      ? undefined
      : seals.seal({ orgId, id: signalId, part: "signal-result" }, Buffer.from(result));
  return {
    n,
    org_id: orgId,
    queue_id: report.queueId,
    signal_id: signalId,
    lease_id: report.leaseId,
    event: report.event,
    description: report.description,
    retry_in: report.retryInNs,
    lease: report.leaseNs,
    key_id: sealed?.keyId,
    result: sealed?.bytes.toString("base64"),
  };
}
