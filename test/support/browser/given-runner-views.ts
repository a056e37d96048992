import type { RunnerProcess } from "../../../shared/api/runner-process.ts";
import { givenToken } from "../rows/given-token.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { hostile, type View } from "./view.ts";

/** Runners with processes, jobs, orders and a day behind them, and where pages show them. */
export async function givenRunnerViews(dashboard: GivenDashboard): Promise<View[]> {
  const { db, call } = dashboard;
  const group = await dashboard.createGroup({
    name: hostile.slice(0, 60),
    settings: { job_group_parallelism: { deploy: "2" } },
  });
  const name = `acme ${hostile}`.slice(0, 120);
  const runner = await dashboard.createRunner({ name, runner_group_id: group.id });
  const token = await givenToken(db, { orgId: dashboard.orgId, runnerId: runner.id });
  const processes: string[] = [];
  for (const version of ["1.4.0", "1.4.1", "1.3.9"]) {
    const made = await call<RunnerProcess>(`POST /v1/runners/${runner.id}/processes`, {
      token,
      body: { type: "install", version, groups: { deploy: 1, sync: 1 } },
    });
    const beat = { process_id: made.body.id, version, executions: [] };
    await call(`POST /v1/runners/${runner.id}/heart-beats`, { token, body: beat });
    processes.push(made.body.id);
  }
  for (let count = 0; count < 5; count++) {
    await call(`POST /v1/runners/${runner.id}/jobs`, {
      body: {
        type: "noop-deploy",
        operation: "exec",
        owner_id: hostile.slice(0, 60),
        owner_type: "test",
      },
    });
  }
  const claimed = await call<{
    jobs: { job: { id: string }; execution: { id: string }; token: string }[];
  }>(`POST /v1/runners/${runner.id}/jobs/claim`, {
    token,
    body: { process_id: processes[0], poll_id: crypto.randomUUID(), groups: { deploy: 1 } },
  });
  for (const { job, execution, token: own } of claimed.body.jobs) {
    const path = `/v1/runner-jobs/${job.id}/executions/${execution.id}`;
    await call(`PATCH ${path}`, { token: own, body: { status: "in-progress" } });
  }
  await givenUpdate(dashboard, { id: runner.id, token });
  const [last = "", draining = ""] = processes.toReversed();
  await call(`POST /v1/runners/${runner.id}/processes/${draining}/shutdown`, { body: {} });
  await call(`PATCH /v1/runners/${runner.id}/processes/${last}`, {
    token,
    body: { status: "shut-down", status_description: hostile.slice(0, 60) },
  });
  await call(`POST /v1/runners/${runner.id}/health-checks`, {
    token,
    body: { process: hostile.slice(0, 60), process_id: processes[0], status_code: 0 },
  });
  await db`
    insert into rollup_coverage (width_s, at, minutes)
    select 60, date_trunc('minute', svc_now()) - interval '1 minute' * n, 1 from generate_series(1, 1500) n
    on conflict do nothing`;
  await db`update runner_processes set deadline_at = deadline_at + interval '1 hour' where runner_id = ${runner.id}`; // they stay alive
  await db`update runners set created_at = svc_now() - interval '3 days' where id = ${runner.id}`;
  await db`delete from status_history where owner_id = ${processes[0] ?? ""}`;
  await db`
    insert into status_history (owner_id, org_id, status, description, at)
    select ${processes[0] ?? ""}, ${dashboard.orgId}, s.status, '', svc_now() - s.ago
      from (values ('active', interval '20 hours'), ('offline', interval '9 hours'), ('active', interval '7 hours'))
           s (status, ago)`;
  const paused = await dashboard.createRunner({ name: "paused one" });
  await call(`POST /v1/runners/${paused.id}/pause`, { body: { note: hostile, until: "2h" } });
  const rollout = await call<{ id: string }>("POST /v1/runner-rollouts", {
    body: { runner_group_id: group.id, type: "restart", reason: hostile },
  });
  const at = `/runners/${runner.id}`;
  const rolloutPage = "/rollouts/{rollout_id}";
  const inRollout = `/rollouts/${rollout.body.id}`;
  const page = "/runners/{runner_id}";
  const inGroup = `/groups/${group.id}`;
  const groupPage = "/groups/{runner_group_id}";
  return [
    { path: "/groups", address: "/groups", has: "install", whenEmpty: "No groups yet" },
    { path: groupPage, address: inGroup, has: "Slots of all its runners" },
    { path: groupPage, address: `${inGroup}/settings`, has: "Logging level" },
    { path: groupPage, address: `${inGroup}/pause`, has: "No runner of the group" },
    { path: groupPage, address: `${inGroup}/rollout`, has: "Processes at once" },
    { path: "/rollouts", address: "/rollouts", has: "restart", whenEmpty: "No rollouts" },
    { path: "/rollouts", address: "/org/rollout", has: "all groups" },
    { path: rolloutPage, address: inRollout, has: "in the order in which they are asked" },
    { path: "/runners", address: "/runners", has: "acme", whenEmpty: "No runners yet" },
    {
      path: "/runners",
      address: "/runners?status=deprovisioned",
      has: "No runner fits these filters",
    },
    { path: page, address: at, has: "Waits because" },
    { path: page, address: `/runners/${paused.id}`, has: "Paused" },
    { path: page, address: `${at}/drain`, has: "alive" },
    { path: page, address: `${at}/force-shutdown`, has: "to confirm" },
    { path: page, address: `${at}/flush`, has: "Job group" },
    { path: page, address: `${at}/pause`, has: "Running jobs continue" },
    { path: page, address: `${at}/start-agent`, has: "management process" },
    { path: page, address: `${at}/update-version`, has: "wants 1.5.0" },
    {
      path: page,
      address: `${at}/processes/${processes[0]}/shutdown`,
      has: "Shut down one process",
    },
  ];
}

/** The host is managed, and told to run what the settings ask for. */
async function givenUpdate(
  { call }: GivenDashboard,
  { id, token }: { readonly id: string; readonly token: string },
): Promise<void> {
  await call(`PATCH /v1/runners/${id}/settings`, { body: { binary_version: "1.5.0" } });
  const made = await call<RunnerProcess>(`POST /v1/runners/${id}/processes`, {
    token,
    body: { type: "mng", version: "1.4.0", groups: { management: 1 } },
  });
  const beat = { process_id: made.body.id, version: "1.4.0", executions: [] };
  await call(`POST /v1/runners/${id}/heart-beats`, { token, body: beat });
  const reason = hostile.slice(0, 60);
  const { status } = await call(`POST /v1/runners/${id}/update-version`, { body: { reason } });
  if (status !== 201) throw new Error("the update was not ordered");
}
