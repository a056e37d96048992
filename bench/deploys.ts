import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Install } from "../shared/api/install.ts";
import type { WholeWorkflow } from "../shared/api/workflow.ts";
import type { Call } from "../test/support/broker/broker.ts";
import { type ClaimedJob, httpAgent } from "../test/support/broker/http-agent.ts";
import { builtDocument, givenBuildsOf } from "../test/support/deploys/given-built-config.ts";
import { givenToken } from "../test/support/rows/given-token.ts";
import { givenOrg, givenProcess, givenRunner } from "../test/support/rows/given.ts";
import { benchApi, sendTo } from "./support/bench-api.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Stage, withStage } from "./support/stage.ts";

const jobMs = 200;
const fewComponents = 20;
const manyComponents = 50;
const manyInstalls = 200;

/** What deploys cost beside their jobs, which a runner here answers. */
export const deploys: Bench = {
  what: "a provision of 20 components beside its jobs of 200 ms; a deploy in an install of 50; 200 installs brought to a config at once",
  run: async ({ scale }, tell) => {
    await withStage(async (stage) => {
      const { url } = await stage.startBroker({
        SVC_REGISTRY: "http://127.0.0.1:9/acme",
        SVC_RATE_TOKEN_PER_S: "0",
        SVC_RATE_ORG_PER_S: "0",
      });
      const org = await givenApp(stage, url, Math.max(2, Math.round(fewComponents * scale)));
      const one = await org.install("first", jobMs);
      const took = await timed(() => org.ended(one.workflow_id ?? ""));
      const jobs = 2 * (org.names.length + 1) * jobMs;
      tell({
        figure: `a provision of ${org.names.length} components, to its jobs one after the other`,
        value: took / jobs,
        unit: "×",
        note: `${took.toFixed(0)} ms, its jobs ${jobs} ms`,
        target: { atMost: 1.5 },
      });
      const large = await givenApp(stage, url, Math.max(2, Math.round(manyComponents * scale)));
      const wide = await large.install("wide", 0);
      await large.ended(wide.workflow_id ?? "");
      const single: number[] = [];
      for (let nth = 0; nth < 10; nth++) single.push(await timed(() => large.deploy(wide.id, nth)));
      tell({
        figure: `a deploy in an install of ${large.names.length} components, jobs of 0 ms, p50`,
        value: quantile(single, 0.5),
        unit: "ms",
      });
      await updates(stage, url, { count: Math.max(4, Math.round(manyInstalls * scale)), tell });
    });
  },
};

/** All installs of an app are brought to another config at once, and another org reads meanwhile. */
async function updates(
  stage: Stage,
  url: string,
  { count, tell }: { readonly count: number; readonly tell: Parameters<Bench["run"]>[1] },
): Promise<void> {
  const org = await givenApp(stage, url, 1);
  const installs: Install[] = [];
  for (let nth = 0; nth < count; nth++) installs.push(await org.install(`i-${nth}`, 0));
  for (const { workflow_id: id } of installs) await org.ended(id ?? "");
  const next = await org.sync({ var_name: "other" });
  const quiet = benchApi(
    url,
    await givenToken(stage.db, { orgId: await givenOrg(stage.db), role: "org_admin" }),
  );
  const reads: number[] = [];
  const over = new AbortController();
  const reading = (async () => {
    while (!over.signal.aborted) reads.push(await timed(() => quiet("GET /v1/apps")));
  })();
  const took = await Promise.all(
    installs.map(async ({ id }) => {
      const startMs = performance.now();
      const begun = await org.api<{ workflow_id: string }>(
        `POST /v1/installs/${id}/app-config-updates`,
        {
          app_config_id: next,
        },
      );
      await org.ended(begun.workflow_id);
      return performance.now() - startMs;
    }),
  );
  over.abort();
  await reading;
  tell({
    figure: `${count} installs brought to a config at once, the slowest to the median`,
    value: quantile(took, 1) / quantile(took, 0.5),
    unit: "×",
    note: `median ${quantile(took, 0.5).toFixed(0)} ms`,
    target: { atMost: 3 },
  });
  tell({
    figure: "another org's read meanwhile, p95",
    value: quantile(reads, 0.95),
    unit: "ms",
    target: { atMost: 100 },
  });
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

/** An app with so many components, all built, in an org of its own. */
export async function givenApp({ db }: Stage, url: string, count: number) {
  const orgId = await givenOrg(db);
  const api = benchApi(url, await givenToken(db, { orgId, role: "org_admin" }));
  const { id: appId } = await api<{ id: string }>("POST /v1/apps", { name: "shop" });
  const names = Array.from({ length: count }, (_, nth) => `part-${String(nth).padStart(2, "0")}`);
  const sync = async (more: object = {}): Promise<string> => {
    const { id } = await api<{ id: string }>(
      `POST /v1/apps/${appId}/configs/sync`,
      builtDocument(names, more),
    );
    await givenBuildsOf({ db, orgId, appId }, id);
    return id;
  };
  await sync();
  const ended = async (id: string): Promise<void> => {
    for (;;) {
      const seen = await api<WholeWorkflow>(`GET /v1/workflows/${id}/await?wait=25s`);
      if (seen.finished && seen.status.status === "success") return;
      if (seen.finished || seen.status.status === "failed-pending-retry")
        throw new Error(`${id} is ${seen.status.status}: ${seen.status.status_human_description}`);
    }
  };
  const install = async (name: string, takesMs: number): Promise<Install> => {
    const slots = { deploy: 4, sandbox: 4 };
    const runner = await givenRunner(db, { orgId, parallelism: slots });
    void answer(url, {
      ...runner,
      processId: await givenProcess(db, runner, { serves: slots }),
      token: await givenToken(db, runner),
      takesMs,
    });
    return await api<Install>(`POST /v1/apps/${appId}/installs`, {
      name,
      runner_group_id: runner.groupId,
      install_config: { approval_option: "approve-all" },
    });
  };
  const deploy = async (id: string, nth: number): Promise<void> => {
    const name = names[nth % names.length] ?? "";
    const at = `POST /v1/installs/${id}/components/${name}/deploys`;
    await ended((await api<{ workflow_id: string }>(at, {})).workflow_id);
  };
  return { api, orgId, names, sync, ended, install, deploy };
}

type Answering = {
  readonly runnerId: string;
  readonly processId: string;
  readonly token: string;
  readonly takesMs: number;
};

/** A runner that plans and applies as terraform would, in so many milliseconds; until its broker is gone. */
async function answer(url: string, { takesMs, token, ...runner }: Answering): Promise<void> {
  const call = <Body>(what: string, request?: Call) => sendTo<Body>(url, what, request);
  const agent = httpAgent(call, { ...runner, token });
  for (;;) {
    const groups = { deploy: 4, sandbox: 4 };
    const claimed = await agent.claim({ groups, wait: "25s" }).catch(() => undefined);
    if (claimed?.status !== 200) return;
    await Promise.all(claimed.body.jobs.map(take));
  }

  async function take({ job, execution, plan }: ClaimedJob): Promise<void> {
    await sleep(takesMs);
    const isApply = typeof plan === "object" && plan !== null && "apply_plan_contents" in plan;
    const text = `plan of ${job.id}`;
    const planned = {
      success: true,
      contents: JSON.stringify({ has_changes: true, add: 1, plan_sha256: hash("sha256", text) }),
      contents_compressed: Buffer.from(text).toString("base64"),
    };
    const done = isApply
      ? { result: { success: true }, outputs: { url: "u" } }
      : { result: planned };
    await call(`POST /v1/runner-jobs/${job.id}/executions/${execution.id}/finish`, {
      token,
      body: { status: "finished", last_record: 0, ...done },
    });
  }
}
