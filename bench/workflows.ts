import type { Install } from "../shared/api/install.ts";
import type { WholeWorkflow } from "../shared/api/workflow.ts";
import type { Call } from "../test/support/broker/broker.ts";
import { httpAgent } from "../test/support/broker/http-agent.ts";
import { givenToken } from "../test/support/rows/given-token.ts";
import { givenOrg, givenProcess, givenRunner } from "../test/support/rows/given.ts";
import { benchApi, sendTo } from "./support/bench-api.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Stage, withStage } from "./support/stage.ts";

const steps = 10;
const rounds = 7;
const atOnce = 200;
const installs = 50;

/** What a workflow costs beside its jobs, and whether many hold each other up. */
export const workflows: Bench = {
  what: "a workflow of ten steps beside its ten jobs; 200 workflows at once",
  run: async ({ scale }, tell) => {
    await withStage(async (stage) => {
      const org = await givenDelivery(stage);
      const ratios: number[] = [];
      const times = { workflow: [] as number[], jobs: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        const turns =
          round % 2 === 0 ? ([runJobs, runWorkflow] as const) : ([runWorkflow, runJobs] as const);
        const took = { jobs: 0, workflow: 0 };
        for (const turn of turns) took[turn === runJobs ? "jobs" : "workflow"] = await turn(org);
        if (round === 0) continue; // warm-up
        ratios.push(took.workflow / took.jobs);
        times.workflow.push(took.workflow);
        times.jobs.push(took.jobs);
      }
      const note = `${quantile(times.workflow, 0.5).toFixed(0)} ms ÷ ${quantile(times.jobs, 0.5).toFixed(0)} ms, ${rounds} rounds in turns`;
      const value = quantile(ratios, 0.5);
      tell({
        figure: "workflow of ten steps ÷ ten jobs in a row",
        value,
        unit: "×",
        note,
        target: { atMost: 3 },
      });
      const count = Math.max(10, Math.round(atOnce * scale));
      const ms = await runMany(org, count);
      const many = `${count} workflows of ${installs} installs, created as fast as one caller can`;
      tell({
        figure: "workflows at once, from create to end, p50",
        value: quantile(ms, 0.5),
        unit: "ms",
        note: many,
      });
      tell({
        figure: "the slowest of them ÷ p50",
        value: Math.max(...ms) / quantile(ms, 0.5),
        unit: "×",
      });
      org.stop();
    });
  },
};

type Org = Awaited<ReturnType<typeof givenDelivery>>;

/** An org with an app, installs on one runner each, and agents that end each job at once. */
async function givenDelivery({ db, startBroker }: Stage) {
  const { url } = await startBroker({ SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" });
  const orgId = await givenOrg(db);
  const token = await givenToken(db, { orgId, role: "org_admin" });
  const api = benchApi(url, token);
  const action = (name: string, type: string) => ({
    name,
    triggers: [{ type }],
    steps: [{ name: "run", command: "true" }],
  });
  const names = Array.from({ length: steps }, (_, n) => `step-${n}`);
  const app = await api<{ id: string }>("POST /v1/apps", { name: "bench" });
  await api(`POST /v1/apps/${app.id}/configs/sync`, {
    "metadata.toml": { name: "bench" },
    actions: {
      ...Object.fromEntries(names.map((name) => [`${name}.toml`, action(name, "pre-reprovision")])),
      "one.toml": action("one", "manual"),
    },
  });
  const stopped = new AbortController();
  const made: { installId: string; runnerId: string }[] = [];
  for (let n = 0; n < installs; n++) {
    const runner = await givenRunner(db, { orgId, parallelism: { actions: 10 } });
    const processId = await givenProcess(db, runner, { serves: { actions: 10 } });
    const runnerToken = await givenToken(db, runner);
    const call = <Body>(what: string, request?: Call) => sendTo<Body>(url, what, request);
    const agent = httpAgent(call, { ...runner, processId, token: runnerToken });
    void work(agent, stopped.signal);
    const install = await api<Install>(`POST /v1/apps/${app.id}/installs`, {
      name: `install-${n}`,
      runner_group_id: runner.groupId,
    });
    await ended({ api }, install.workflow_id ?? "");
    made.push({ installId: install.id, runnerId: runner.runnerId });
  }
  return { api, made, stop: () => stopped.abort() };
}

async function work(agent: ReturnType<typeof httpAgent>, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const answer = await agent.claim({ groups: { actions: 5 }, wait: "5s" }).catch(() => undefined);
    if (answer?.status !== 200) return;
    for (const claimed of answer.body.jobs) {
      await agent.report(claimed, "in-progress");
      await agent.finish(claimed);
    }
  }
}

async function ended({ api }: Pick<Org, "api">, id: string): Promise<void> {
  for (;;) {
    const { finished, status } = await api<WholeWorkflow>(`GET /v1/workflows/${id}/await?wait=25s`);
    if (finished && status.status !== "success") throw new Error(`${id} is ${status.status}`);
    if (finished) return;
  }
}

async function runWorkflow({ api, made }: Org): Promise<number> {
  const [{ installId }] = made as [Org["made"][number]];
  const startMs = performance.now();
  const begun = await api<{ workflow_id: string }>(
    `POST /v1/installs/${installId}/reprovision`,
    {},
  );
  await ended({ api }, begun.workflow_id);
  return performance.now() - startMs;
}

/** The same jobs without a workflow: each enqueued when the one before it has ended. */
async function runJobs({ api, made }: Org): Promise<number> {
  const [{ runnerId }] = made as [Org["made"][number]];
  const plan = { steps: [{ name: "run", interpolated_command: "true" }] };
  const startMs = performance.now();
  for (let n = 0; n < steps; n++) {
    const body = { type: "actions-workflow", plan };
    const { id } = await api<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, body);
    await api(`GET /v1/runner-jobs/${id}/wait?wait=25s`);
  }
  return performance.now() - startMs;
}

async function runMany({ api, made }: Org, count: number): Promise<number[]> {
  const all = Array.from({ length: count }, async (_, n) => {
    const { installId } = made[n % made.length] ?? { installId: "" };
    const startMs = performance.now();
    const body = { name: "one" };
    const begun = await api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/actions/runs`,
      body,
    );
    await ended({ api }, begun.workflow_id);
    return performance.now() - startMs;
  });
  return await Promise.all(all);
}
