import { postLogs, protobufLogs } from "../logs/otlp-logs.ts";
import { givenToken } from "../rows/given-token.ts";
import {
  type GivenRunner,
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
  report,
} from "../rows/given.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import type { View } from "./view.ts";

/** A job that runs, with who writes its log. */
export type GivenRun = GivenRunner & {
  readonly jobId: string;
  readonly executionId: string;
  readonly streamId: string;
  /** Adds these lines to its log, in one request. */
  readonly write: (lines: readonly { body: string; severity?: number }[]) => Promise<void>;
};

/** A running job of the dashboard's org. */
export async function givenRun(
  { db, orgId, broker }: GivenDashboard,
  job?: NonNullable<Parameters<typeof givenExecution>[2]["job"]>,
): Promise<GivenRun> {
  const runner = await givenRunner(db, { orgId, parallelism: { deploy: 1 } });
  const processId = await givenProcess(db, runner);
  const token = await givenToken(db, runner);
  const { jobId, executionId } = await givenExecution(db, runner, {
    processId,
    ...(job && { job }),
  });
  const streamId = `lgs_${jobId.slice(4)}`;
  let written = 0;
  const write: GivenRun["write"] = async (lines) => {
    const body = protobufLogs(lines.map((line) => ({ ...line, seq: ++written, executionId })));
    const { status, text } = await postLogs({ url: broker.url, streamId, token, body });
    if (status !== 201) throw new Error(`the log answered ${status}: ${text}`);
  };
  return { ...runner, jobId, executionId, streamId, write };
}

const escape = "\u001B";

/** Jobs in each state, and where pages show them. */
export async function givenJobViews(dashboard: GivenDashboard, hostile: string): Promise<View[]> {
  const { db, orgId } = dashboard;
  const running = await givenRun(dashboard, {
    type: "noop-deploy",
    operation: "exec",
    ownerId: hostile,
    metadata: { [hostile]: hostile },
  });
  await running.write([
    { body: `${escape}[1;32mApply complete!${escape}[0m 3 added, ${escape}[31m1 destroyed` },
    { body: `${hostile}${escape}]8;;javascript:alert(1)${escape}\\link${escape}]8;;${escape}\\` },
    { body: `two\nlines, ${escape}[38;2;120;200;90mtrue colour`, severity: 13 },
    { body: "it went wrong", severity: 17 },
  ]);
  const waiting = await givenJob(db, await givenRunner(db, { orgId }));
  const failed = await givenRun(dashboard);
  await report(db, failed, {
    executionId: failed.executionId,
    status: "failed",
    result: {
      success: false,
      error_code: 3,
      composite_error: { type: "terraform.state_lock", title: hostile, detail: hostile },
    },
  });
  const planned = await givenRun(dashboard, {
    type: "noop-deploy",
    operation: "create-apply-plan",
    plan: JSON.stringify({ name: hostile, size: 12_345 }),
  });
  await report(db, planned, {
    executionId: planned.executionId,
    status: "finished",
    result: { success: true, contents_display: `+ ${hostile} (create)\n- Secret b (delete)` },
    outputs: { said: hostile },
  });
  return [
    { path: "/jobs/{job_id}", address: `/jobs/${running.jobId}`, has: running.jobId },
    { path: "/jobs/{job_id}", address: `/jobs/${waiting}`, has: "It waits" },
    { path: "/jobs/{job_id}", address: `/jobs/${failed.jobId}`, has: "terraform.state_lock" },
    { path: "/jobs/{job_id}", address: `/jobs/${planned.jobId}`, has: "Planned changes" },
    { path: "/jobs/{job_id}/log", address: `/jobs/${running.jobId}/log`, has: "Apply complete!" },
    { path: "/jobs/{job_id}/log", address: `/jobs/${waiting}/log`, has: "Nothing here yet" },
    {
      path: "/jobs/{job_id}/log",
      address: `/jobs/${running.jobId}/log?q=wrong`,
      has: "it went wrong",
    },
    { path: "/jobs/{job_id}/plan", address: `/jobs/${planned.jobId}/plan`, has: "12345" },
    {
      path: "/jobs/{job_id}/changes",
      address: `/jobs/${planned.jobId}/changes`,
      has: "Secret b (delete)",
    },
    {
      path: "/jobs/{job_id}/cancel",
      address: `/jobs/${running.jobId}/cancel`,
      has: "Cancel the job",
    },
    { path: "/jobs/{job_id}/rerun", address: `/jobs/${failed.jobId}/rerun`, has: "Run it again" },
    { path: "/jobs", address: "/jobs?status=waiting", has: "Cancel all that match" },
    { path: "/jobs", address: `/jobs?runner_id=${failed.runnerId}`, has: failed.jobId },
    { path: "/jobs", address: "/jobs/matching/cancel?status=waiting", has: "cannot be put back" },
    { path: "/jobs", address: "/jobs/matching/rerun?status=failed", has: "Each is enqueued" },
  ];
}
