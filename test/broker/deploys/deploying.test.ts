import { expect, test } from "vitest";
import { givenBuilder } from "../../support/builds/given-builder.ts";
import { built } from "../../support/builds/given-shop.ts";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { givenApplier } from "../../support/deploys/given-applier.ts";
import { builtDocument } from "../../support/deploys/given-built-config.ts";
import { startReceiver } from "../../support/queues/start-receiver.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { givenWorkflowsApi, stepsOf } from "../../support/workflows/workflows-api.ts";
import { terraformLock } from "../../support/workspaces/given-workspace.ts";

const { brokers, db, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const module = { type: "terraform_module", public_repo: { repo: "https://git.example.com/a.git" } };

type Told = {
  readonly data: { readonly step: { readonly name: string }; readonly transition: string };
};

const given = (document: object, how?: Parameters<typeof givenApplied>[2]) =>
  givenApplied(setup, document, how);

test("what a changed input does not change is passed over with its actions, and is taken down later as it was deployed", async () => {
  const action = {
    name: "stop",
    triggers: [{ type: "pre-deploy-component", component_name: "b" }],
    steps: [{ name: "stop", command: "true" }],
  };
  const { provision, begin, ended, applied, planned, api, id } = await given(
    {
      "metadata.toml": { name: "shop" },
      "inputs.toml": { input: [{ name: "size", default: "1" }] },
      components: {
        "a.toml": { name: "a", vars: { size: "{{ .svc.inputs.inputs.size }}" }, ...module },
        "b.toml": { name: "b", vars: { url: "{{ .svc.components.a.outputs.url }}" }, ...module },
      },
      actions: { "stop.toml": action },
    },
    { outputs: () => ({ url: "same" }) },
  );
  const before = await ended(provision);
  expect(before.status.status).toBe("success");
  // Its first look made the rows of what it deploys, and began nothing without them.
  expect(brokers[0]?.logged.filter((line) => line.includes("Failed task"))).toEqual([]);
  const receiver = await startReceiver();
  const [found] = (await api<{ component_id: string }[]>(`GET /v1/installs/${id}/components?q=b`))
    .body;
  const match = { components: { ids: [found?.component_id] } };
  const hooked = await api("POST /v1/orgs/current/webhooks", { url: receiver.url, match });
  expect(hooked.status).toBe(201);
  const updated = await ended(await begin("PATCH /inputs", { inputs: { size: "2" } }));
  expect(stepsOf(updated)).toEqual([
    "generate install state: success",
    "sync and plan a: approved",
    "apply a: success",
    "check whether b changes: auto-skipped",
    "stop action run (pre-deploy-component): auto-skipped",
    "sync and plan b: auto-skipped",
    "apply b: auto-skipped",
  ]);
  const gone = await ended(await begin("POST /components/teardown-all"));
  expect(gone.status.status).toBe("success");
  expect(applied.map(({ component }) => component)).toEqual(["a", "b", "a", "b", "a"]);
  // Who wants to be told of b alone is told of what was done to it, in its order: nothing of a, nor of what was passed over.
  const told = () =>
    receiver.received.map(({ body }) => {
      const { step, transition } = (JSON.parse(body) as Told).data;
      return `${step.name}: ${transition}`;
    });
  await expect
    .poll(told)
    .toEqual(
      ["plan teardown b", "teardown b"].flatMap((name) => [
        `${name}: started`,
        `${name}: succeeded`,
      ]),
    );
  const last = planned.at(-2)?.plan;
  expect(last).toMatchObject({
    component_name: "b",
    src_digest: expect.stringMatching(/^sha256:/) as unknown,
  });
});

test("what a first apply left half done is torn down with the install", async () => {
  const delivery = await given(builtDocument(["a"]), {
    outputs: () => ({ url: "u" }),
    fails: (component) => component === "a",
  });
  const { provision, begin, ended, applied, api, id } = delivery;
  const failed = await ended(provision);
  expect(stepsOf(failed).slice(-2)).toEqual([
    "sync and plan a: approved",
    "apply a: failed-pending-retry",
  ]);
  await api(`POST /v1/workflows/${provision}/cancel`, {});
  await ended(provision);
  const refused = await api(`POST /v1/installs/${id}/deprovision-sandbox`, {});
  expect(refused).toMatchObject({ status: 409, body: { code: "components_deployed" } });
  const gone = await ended(await begin("POST /deprovision"));
  expect(stepsOf(gone)).toContain("plan teardown a: approved");
  expect(applied.map(({ component }) => component)).toContain("");
});

test("an org that passes over what changes nothing has no config say so", async () => {
  let added = 1;
  const { provision, begin, ended, applied, api, id } = await given(
    { "metadata.toml": { name: "shop" }, components: { "a.toml": { name: "a", ...module } } },
    { changes: () => added },
  );
  await ended(provision);
  added = 0;
  const [a] = (await api<{ component_id: string }[]>(`GET /v1/installs/${id}/components`)).body;
  const deploy = `POST /components/${a?.component_id ?? ""}/deploys`;
  expect(stepsOf(await ended(await begin(deploy))).at(-1)).toBe("apply a: success");
  const features = { features: { auto_skip_noops: true } };
  expect(await api("PATCH /v1/orgs/current/features", features)).toMatchObject({
    body: { auto_skip_noops: true, features: { auto_skip_noops: true } },
  });
  expect(stepsOf(await ended(await begin(deploy))).slice(-2)).toEqual([
    "sync and plan a: auto-skipped",
    "apply a: auto-skipped",
  ]);
  expect(applied).toHaveLength(2);
});

test("what is tried again by itself waits until somebody has looked at what its apply left locked", async () => {
  let isHalfWay = true;
  const half = { fails: () => isHalfWay, leavesLocks: true };
  const component = { name: "a", ...module, max_auto_retries: 1 };
  const { provision, begin, ended, planned, api, read, id } = await given(
    { "metadata.toml": { name: "shop" }, components: { "a.toml": component } },
    half,
  );
  const waiting = async () =>
    (await read(provision)).body.steps.findLast(({ name }) => name === "sync and plan a")?.status;
  const words = async () => (await waiting())?.status_human_description;
  await expect
    .poll(words)
    .toMatch(
      /^it waits for its workspace tfw_\w+, which is blocked: job_\w+ failed and left the lock/,
    );
  const [{ terraform_workspace: workspace } = {}] = (
    await api<{ terraform_workspace: { id: string } }[]>(`GET /v1/installs/${id}/components`)
  ).body;
  const at = `/v1/terraform-workspaces/${workspace?.id ?? ""}`;
  expect(await words()).toContain(`svc workspace unblock ${workspace?.id ?? ""} --reason`);
  expect(planned).toHaveLength(1);
  // Somebody looks meanwhile what would change: theirs is the newest deploy then.
  await ended(await begin("POST /components/a/deploys", { plan_only: true }));
  expect(planned).toHaveLength(2);
  isHalfWay = false;
  expect((await api(`POST ${at}/unblock`, { reason: "nothing was half done" })).status).toBe(200);
  const done = await ended(provision);
  expect(done.status.status).toBe("success");
  expect(planned).toHaveLength(3);
  const { block, lock } = (await api<{ block: unknown; lock: unknown }>(`GET ${at}`)).body;
  expect([block, lock]).toEqual([null, null]);
});

/** How a workspace is freed that somebody holds. */
const ways: Readonly<Record<string, (org: string, workspace: string) => Promise<unknown>>> = {
  "is unlocked": (org, workspace) =>
    db`select release_workspace(${org}, ${workspace}, null, 'acc_1', 'done with it', true)`,
  "is freed by the broker, whose job only planned": async (org, workspace) => {
    const [ended] = await db<{ id: string; job: string }[]>`
      select e.id, e.runner_job_id as job from runner_job_executions e join runner_jobs j on j.org_id = e.org_id and j.id = e.runner_job_id
       where e.org_id = ${org} and j.operation = 'create-apply-plan' limit 1`;
    await db`update terraform_workspace_locks set runner_job_id = ${ended?.job ?? ""} where workspace_id = ${workspace}`;
    await db`select free_plan_locks(array[${ended?.id ?? ""}::text], svc_now())`;
  },
};

test.each(Object.entries(ways))(
  "a retry waits for who holds its workspace, and goes on once that %s",
  async (_, frees) => {
    let isFailing = true;
    const {
      provision,
      ended,
      planned,
      api,
      read,
      id,
      orgId: org,
    } = await given(
      { "metadata.toml": { name: "shop" }, components: { "a.toml": { name: "a", ...module } } },
      { fails: () => isFailing },
    );
    const failed = await ended(provision);
    const [{ terraform_workspace: place } = {}] = (
      await api<{ terraform_workspace: { id: string } }[]>(`GET /v1/installs/${id}/components`)
    ).body;
    const workspace = place?.id ?? "";
    await api(`POST /v1/terraform-workspaces/${workspace}/lock`, {
      ...terraformLock(),
      Who: "ada@desk",
    });
    isFailing = false;
    const step = failed.steps.find(({ name }) => name === "apply a");
    const words = async () =>
      (await read(provision)).body.steps.findLast(({ name }) => name === "sync and plan a")?.status
        .status_human_description;
    await api(`POST /v1/workflows/${provision}/steps/${step?.id ?? ""}/retry`, {});
    await expect.poll(words).toContain("which is locked by ada@desk: svc workspace show tfw_");
    expect(planned).toHaveLength(1);
    await db`update queue_signal_live set deadline_at = svc_now() + interval '1 day' where org_id = ${org}`; // no clock wakes it
    await frees(org, workspace);
    expect((await ended(provision)).status.status).toBe("success");
    expect(planned).toHaveLength(2);
  },
);

test("what an install leaves out by its own config is not deployed with the others", async () => {
  const toggled = { ...module, toggleable: true, default_enabled: true };
  const { provision, begin, ended, applied, api, id } = await given({
    "metadata.toml": { name: "shop" },
    components: { "a.toml": { name: "a", ...module }, "b.toml": { name: "b", ...toggled } },
  });
  expect((await ended(provision)).status.status).toBe("success");
  const own = { approval_option: "approve-all", component_toggles: { b: false } };
  expect((await api(`POST /v1/installs/${id}/configs`, own)).status).toBe(201);
  expect((await ended(await begin("POST /components/deploy-all"))).status.status).toBe("success");
  expect(applied.map(({ component }) => component)).toEqual(["a", "b", "a"]);
});

test("an install that comes before the builds of a sync have begun has them begun, and waits for them", async () => {
  const org = await setup({ "metadata.toml": { name: "shop" } });
  // Where nobody builds, a sync leaves it.
  const components = { "a.toml": { name: "a", ...module } };
  const synced = await org.sync({ "metadata.toml": { name: "shop" }, components });
  const runner = await givenRunner(db, { orgId: org.orgId, parallelism: { deploy: 4 } });
  const { applied } = await givenApplier(org, runner);
  await givenBuilder({ ...org, brokers }, built);
  const made = await org.create({
    runner_group_id: runner.groupId,
    install_config: { approval_option: "approve-all" },
    inputs: {},
  });
  const provisioned = await org.reach(
    made.body.workflow_id ?? "",
    "success",
    "failed-pending-retry",
  );
  expect(stepsOf(provisioned).at(-1)).toBe("apply a: success");
  expect(applied.map(({ component }) => component)).toEqual(["a"]);
  const builds = await org.api<{ app_config_id: string }[]>("GET /v1/builds");
  expect(builds.body).toMatchObject([{ app_config_id: synced.body.id, status: "active" }]);
});
