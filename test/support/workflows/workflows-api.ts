import type { Install } from "../../../shared/api/install.ts";
import type { ShownStep, WholeWorkflow } from "../../../shared/api/workflow.ts";
import { type Answer, startBroker, type TestBroker } from "../broker/broker.ts";
import { until } from "../broker/given-polling.ts";
import { type ClaimedJob, httpAgent, type HttpAgent } from "../broker/http-agent.ts";
import { testDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { beat, givenOrg, givenProcess, type GivenRunner, givenRunner } from "../rows/given.ts";
import { afterFile } from "../run/after-file.ts";

/** What a refusal says. */
export type Refused = {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
};
type Begun = Refused & { readonly id: string; readonly workflow_id: string };

const script = (command: string) => ({ steps: [{ name: "run", command }] });

/** The config of an app with an action of each sort. */
export const shopConfig = {
  "metadata.toml": { name: "shop", default_labels: { team: "platform" } },
  "inputs.toml": {
    input: [
      { name: "greeting", default: "Hello" },
      { name: "audience", required: true },
      { name: "secret", sensitive: true },
      { name: "size", type: "number" },
    ],
  },
  actions: {
    "greet.toml": {
      name: "greet",
      ...script("echo {{ .svc.inputs.inputs.greeting }} {{ .svc.inputs.inputs.audience }}"),
    },
    "careful.toml": {
      name: "careful",
      approval: true,
      ...script(
        "echo {{ .svc.inputs.inputs.audience }} {{ .svc.inputs.inputs.secret | default `-` }}",
      ),
    },
    "first.toml": {
      name: "first",
      triggers: [{ type: "pre-provision", index: 1 }, { type: "post-update-inputs" }],
      ...script("echo first"),
    },
    "second.toml": {
      name: "second",
      triggers: [{ type: "pre-provision", index: 2 }],
      ...script("echo second"),
    },
    "last.toml": { name: "last", triggers: [{ type: "post-provision" }], ...script("echo last") },
  },
};

/** How a job of an action ends at the agent of a test. */
export type End = "finished" | "failed" | "held";

/** Brokers over one database, and orgs with an app, installs, and agents that run their actions. */
export async function givenWorkflowsApi({
  brokers: count = 1,
  env = {},
}: { readonly brokers?: number; readonly env?: Readonly<Record<string, string>> } = {}) {
  const { db, url } = await testDatabase();
  const settings = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", ...env };
  const brokers: TestBroker[] = [];
  for (let n = 0; n < count; n++) brokers.push(await startBroker({ url, env: settings }));
  const [{ call }] = brokers as [TestBroker];

  async function setup(config: object = shopConfig) {
    const orgId = await givenOrg(db);
    const token = await givenToken(db, { orgId, role: "org_admin" });
    const api = <Body = Refused>(what: string, body?: unknown): Promise<Answer<Body & Refused>> =>
      call<Body & Refused>(what, { token, ...(body !== undefined && { body }) });
    const app = (await api<{ id: string }>("POST /v1/apps", { name: "shop" })).body;
    const sync = (document: object) =>
      api<{ id: string }>(`POST /v1/apps/${app.id}/configs/sync`, document);
    const synced = await sync(config);
    if (synced.status !== 201) throw new Error(JSON.stringify(synced.body));
    const create = (body: object = {}) =>
      api<Install>(`POST /v1/apps/${app.id}/installs`, {
        name: "acme",
        inputs: { audience: "world" },
        ...body,
      });
    const read = (id: string) => api<WholeWorkflow>(`GET /v1/workflows/${id}`);
    return {
      db,
      brokers,
      orgId,
      token,
      api,
      appId: app.id,
      configId: synced.body.id,
      sync,
      create,
      read,
      ...follow(api),
    };
  }
  return { db, url, brokers, call, setup };
}

type Api = <Body = Refused>(what: string, body?: unknown) => Promise<Answer<Body & Refused>>;

function follow(api: Api) {
  const read = async (id: string): Promise<WholeWorkflow> =>
    (await api<WholeWorkflow>(`GET /v1/workflows/${id}`)).body;
  async function reach(id: string, ...statuses: string[]): Promise<WholeWorkflow> {
    let seen = await read(id);
    await until(async () => {
      seen = await read(id);
      return statuses.includes(seen.status.status);
    });
    return seen;
  }
  const run = (installId: string, name: string, more: object = {}) =>
    api<Begun>(`POST /v1/installs/${installId}/actions/runs`, { name, ...more });
  const respond = (step: ShownStep, body: object) =>
    api<{ id: string; outcome: string }>(
      `POST /v1/workflows/${step.workflow_id}/steps/${step.id}/approvals/${step.approval?.id ?? "-"}/response`,
      body,
    );
  return { reach, run, respond };
}

/** The step that the workflow is at, by its status. */
export function stepIn(workflow: WholeWorkflow, status: string): ShownStep {
  const step = workflow.steps.find((one) => one.status.status === status);
  if (step === undefined)
    throw new Error(
      `no step is ${status}: ${workflow.steps.map((one) => one.status.status).join()}`,
    );
  return step;
}

/** What steps are called, and how they are. */
export const stepsOf = ({ steps }: WholeWorkflow): string[] =>
  steps.map(({ name, status }) => `${name}: ${status.status}`);

/** An install, provisioned by an agent that runs until the file is over. `ends`: how jobs end, by their command; finished unless told. */
export async function givenInstall(
  org: Awaited<ReturnType<Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"]>>,
  {
    ends = () => "finished",
    ...body
  }: { readonly ends?: (plan: string) => End } & Record<string, unknown> = {},
) {
  const { db, orgId, create, reach } = org;
  const runner = await givenRunner(db, { orgId, parallelism: { actions: 10 } });
  const agent = await givenActionsAgent(org, runner, ends);
  const made = await create({ runner_group_id: runner.groupId, ...body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const { id, workflow_id: workflowId = "" } = made.body;
  if (workflowId !== "") await reach(workflowId, "success");
  return { installId: id, workflowId, runner, agent };
}

/** An agent that claims jobs of actions one after the other and ends each as it is told. */
export async function givenActionsAgent(
  {
    db,
    brokers,
  }: { readonly db: Parameters<typeof givenProcess>[0]; readonly brokers: readonly TestBroker[] },
  runner: GivenRunner,
  ends: (plan: string) => End,
) {
  const processId = await givenProcess(db, runner, { serves: { actions: 10 } });
  const token = await givenToken(db, runner);
  const [broker] = brokers;
  if (broker === undefined) throw new Error("there is no broker");
  const agent = httpAgent(broker.call, { ...runner, processId, token });
  const held: ClaimedJob[] = [];
  const plans: string[] = [];
  const stopped = new AbortController();
  const released = Promise.withResolvers<void>();
  stopped.signal.addEventListener("abort", () => released.resolve());
  const done = work();
  afterFile(async () => {
    stopped.abort();
    await done;
  });

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      const answer = await agent
        .claim({ groups: { actions: 5 }, wait: "1s" })
        .catch(() => undefined);
      if (answer?.status !== 200) return; // the broker is gone
      for (const claimed of answer.body.jobs) await take(claimed);
    }
  }
  async function take(claimed: ClaimedJob): Promise<void> {
    const plan = JSON.stringify(claimed.plan);
    plans.push(plan);
    const end = ends(plan);
    if (end === "held") {
      await agent.report(claimed, "in-progress");
      held.push(claimed);
      await released.promise; // who holds a job asks for no other: a poll would say that it stopped
    } else await endJob(broker as TestBroker, agent, { claimed, end, token });
  }
  return {
    processId,
    held,
    plans,
    /** Ends a job that is held. */
    end: async (claimed: ClaimedJob, end: Exclude<End, "held">) => {
      await endJob(broker, agent, { claimed, end, token });
      await beat(db, [processId], []); // it holds nothing: what was told to stop has
      released.resolve();
    },
  };
}

async function endJob(
  { call }: TestBroker,
  agent: HttpAgent,
  {
    claimed,
    end,
    token,
  }: { readonly claimed: ClaimedJob; readonly end: "finished" | "failed"; readonly token: string },
): Promise<void> {
  await agent.report(claimed, "in-progress");
  const { job, execution } = claimed;
  await call(`POST /v1/runner-jobs/${job.id}/executions/${execution.id}/finish`, {
    token,
    body: {
      status: end,
      result: { success: end === "finished" },
      ...(end === "failed" && { status_description: "exit code 1" }),
    },
  });
}
