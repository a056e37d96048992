import { callRoute, type Endpoint } from "../../shared/api/call-route.ts";
import { enqueueJobRoute } from "../../shared/api/enqueue-jobs.ts";
import { createHeartBeatRoute } from "../../shared/api/heart-beat.ts";
import { claimJobsRoute } from "../../shared/api/poll-jobs.ts";
import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import { finishExecutionRoute, updateExecutionRoute } from "../../shared/api/report-executions.ts";
import { registerProcessRoute, updateProcessRoute } from "../../shared/api/runner-process.ts";
import { version } from "../../shared/version.ts";
import type { DevFile } from "../dev-file.ts";
import type { Screen } from "../screen.ts";

/**
 * Shows the broker's main job done: enqueues a job as a control plane does, and carries it out as a runner
 * does, by the same requests. There is no agent yet at a first start; its part is played here, once.
 */
export async function showAJob(dev: DevFile, screen: Screen): Promise<void> {
  const operator: Endpoint = { url: dev.url, token: dev.admin_token };
  const runner: Endpoint = { url: dev.url, token: dev.runner_token };
  const params = { runner_id: dev.runner_id };
  const since = stopwatch();
  screen.out("\nA first job, from end to end:\n");

  const processId = await startProcess(runner, params);
  screen.out(`  registered  ${processId}, a runner's process ${since()}`);

  const body = { type: "noop", plan: { greeting: "hello" } } as const;
  const job = (await callRoute(operator, enqueueJobRoute, { params, body })).body;
  screen.out(`  enqueued    ${job.id}, a noop job ${since()}`);

  const claim = { process_id: processId, groups: { [job.group]: 1 }, wait: "5s" };
  const claimed = (await callRoute(runner, claimJobsRoute, { params, body: claim })).body.jobs[0];
  if (claimed === undefined || claimed.job.id !== job.id)
    throw new Error("the job was not offered");
  screen.out(
    `  claimed     by the process, with its plan ${JSON.stringify(claimed.plan)} ${since()}`,
  );

  const execution = { job_id: job.id, execution_id: claimed.execution.id };
  await callRoute(runner, updateExecutionRoute, {
    params: execution,
    body: { status: "in-progress" },
  });
  screen.out(`  reported    in-progress ${since()}`);

  const result = { success: true, contents_display: { said: "hello" } };
  const end = { status: "finished", result, outputs: { answer: 42 } } as const;
  await callRoute(runner, finishExecutionRoute, { params: execution, body: end });
  const { body: done } = await callRoute(operator, getJobRoute, { params: { job_id: job.id } });
  screen.out(
    `  ${done.status.padEnd(10)}  with its result and outputs ${JSON.stringify(done.outputs)} ${since()}`,
  );
  await callRoute(runner, updateProcessRoute, {
    params: { ...params, process_id: processId },
    body: { status: "shut-down", status_description: "It was there to show a job." },
  });
}

async function startProcess(runner: Endpoint, params: { runner_id: string }): Promise<string> {
  const body = { type: "install", version, groups: { operations: 1 } } as const;
  const { id } = (await callRoute(runner, registerProcessRoute, { params, body })).body;
  const beat = { process: "install", process_id: id, version, executions: [] };
  await callRoute(runner, createHeartBeatRoute, { params, body: beat });
  return id;
}

/** The time since the last time, in words. */
function stopwatch(): () => string {
  let lastMs = performance.now();
  return () => {
    const tookMs = performance.now() - lastMs;
    lastMs = performance.now();
    return `(${tookMs.toFixed(0)} ms)`;
  };
}
