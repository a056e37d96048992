import { describe, expect, test } from "vitest";
import type { ShownWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenDeploy } from "../../support/deploys/given-deploy.ts";
import { deployedConfig, givenDeployable } from "../../support/deploys/given-deploys.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();

const { components, ...rest } = deployedConfig;
/** A config that looks for drift of its module by this schedule, and of the sandbox each day. */
const looking = (drift_schedule = "*/10 * * * *") => ({
  ...rest,
  "sandbox.toml": { ...rest["sandbox.toml"], drift_schedule: "0 4 * * *" },
  components: {
    ...components,
    "db.toml": { ...components["db.toml"], drift_schedule },
    "cache.toml": { ...components["cache.toml"], drift_schedule: "0 5 * * *" },
    "extra.toml": { ...components["extra.toml"], drift_schedule: "0 6 * * *" },
  },
});

type Emitter = {
  readonly id: string;
  readonly name: string;
  readonly signal_type: string;
  readonly queue_id: string;
  readonly jitter_window: number;
  readonly status: { readonly status: string; readonly status_human_description: string };
};

/** An install that has such a config, as if it had been provisioned by it. */
async function given() {
  const shop = await givenDeployable(setup);
  const { installId, orgId, api } = shop;
  async function has(config: object): Promise<void> {
    const synced = await shop.sync(config);
    if (synced.status !== 201) throw new Error(JSON.stringify(synced.body));
    await db`
      update installs set lifecycle_phase = 'active', applied_config_id = ${synced.body.id}, version = version + 1 where id = ${installId}`;
    await keep();
  }
  const keep = async (): Promise<void> => {
    const payload = JSON.stringify({ org_id: orgId, install_id: installId });
    await db`select graphile_worker.add_job('keep-emitters', ${payload}::text::json)`;
  };
  const emitters = async () =>
    (await api<{ items: Emitter[] }>("GET /v1/emitters?cursor=")).body.items;
  async function named(...names: readonly string[]): Promise<readonly Emitter[]> {
    let seen: readonly Emitter[] = [];
    await until(async () => {
      seen = await emitters();
      const found = seen.map(({ name }) => name).sort();
      return JSON.stringify(found) === JSON.stringify([...names].sort());
    });
    return names.map((name) => seen.find((one) => one.name === name) as Emitter); // it was seen
  }
  const fire = async ({ id }: Emitter, token?: string) =>
    token === undefined
      ? await api<{ id: string }>(`POST /v1/emitters/${id}/fire`)
      : await call<{ id: string }>(`POST /v1/emitters/${id}/fire`, { token });
  async function discarded(emitter: Emitter): Promise<string> {
    const { id } = (await fire(emitter)).body;
    let said = "";
    await until(async () => {
      const { status } = (await api<Pick<Emitter, "status">>(`GET /v1/signals/${id}`)).body;
      said = status.status_human_description;
      return status.status === "cancelled";
    });
    return said;
  }
  const looks = async () =>
    (await api<ShownWorkflow[]>(`GET /v1/installs/${installId}/workflows`)).body.filter(
      ({ type }) => type.startsWith("drift_run"),
    );
  const deployed = async (component?: string): Promise<void> => {
    const [row] = await db<{ id: string }[]>`
      select applied_config_id as id from installs where id = ${installId}`;
    const of = { ...shop.of, configId: row?.id ?? "" };
    await givenDeploy(db, of, component === undefined ? {} : { component });
  };
  await has(looking());
  return { ...shop, has, keep, named, fire, discarded, looks, deployed };
}

const ofDb = "drift of db: */10 * * * *";
const ofSandbox = "drift of the sandbox: 0 4 * * *";
const ofExtra = "drift of extra: 0 6 * * *";
const all = [ofDb, ofSandbox, ofExtra] as const;

describe("a drift_schedule", () => {
  test("is an emitter in the lane of plans, which follows the config, is managed and rests", async () => {
    const shop = await given();
    const [first, sandbox] = await shop.named(...all);
    expect(first).toMatchObject({ signal_type: "drift-run", jitter_window: 300e9 });
    expect(sandbox).toMatchObject({ signal_type: "drift-run-sandbox", jitter_window: 600e9 });
    const [lane] = await db`select name from queues where id = ${first?.queue_id ?? ""}`;
    expect(lane).toEqual({ name: "plans" });
    const refused = await shop.api(`DELETE /v1/emitters/${first?.id ?? ""}`);
    expect(refused.body).toMatchObject({
      code: "managed_emitter",
      detail: expect.stringContaining("drift_schedule") as string,
    });
    await shop.has(looking("0 * * * *"));
    const [, kept] = await shop.named("drift of db: 0 * * * *", ofSandbox, ofExtra);
    expect(kept?.id).toBe(sandbox?.id);
    await db`
      update installs set lifecycle_phase = 'deprovisioned', version = version + 1 where id = ${shop.installId}`;
    await shop.keep();
    await until(async () => {
      const [one] = await shop.named("drift of db: 0 * * * *", ofSandbox, ofExtra);
      return one?.status.status === "paused";
    });
    await shop.has(rest);
    await shop.named();
  });

  test("has a workflow look at what is deployed at its ticks, and changes nothing", async () => {
    const shop = await given();
    await shop.named(...all);
    await shop.deployed("db");
    await advanceClock(db, "20 minutes");
    await until(async () => (await shop.looks()).length === 1);
    const [look] = await shop.looks();
    expect(look).toMatchObject({
      type: "drift_run",
      plan_only: true,
      created_by_id: "",
      metadata: { component_id: shop.ids["db"], component_name: "db" },
    });
  });

  test("is fired by who may operate installs, also of the sandbox", async () => {
    const shop = await given();
    const [, sandbox] = await shop.named(...all);
    if (sandbox === undefined) throw new Error("the sandbox has no emitter");
    await shop.deployed();
    const { orgId } = shop;
    const token = await givenToken(db, { orgId, role: "installer" }); // it operates queues alone
    expect((await shop.fire(sandbox, token)).status).toBe(403);
    expect((await shop.fire(sandbox)).status).toBe(201);
    await until(async () => (await shop.looks()).length === 1);
    expect(await shop.looks()).toMatchObject([
      { type: "drift_run_reprovision_sandbox", plan_only: true },
    ]);
  });

  test("has nothing looked at that is not deployed, is left out or is being changed", async () => {
    const shop = await given();
    const [ofModule, sandbox, extra] = await shop.named(...all);
    if (ofModule === undefined || sandbox === undefined || extra === undefined)
      throw new Error("an emitter is missing");
    expect(await shop.discarded(sandbox)).toContain("nothing of the sandbox is deployed");
    await shop.deployed("extra");
    await shop.api(`POST ${shop.at}/configs`, { component_toggles: { extra: false } });
    expect(await shop.discarded(extra)).toContain("the install leaves out the component extra");
    await shop.deployed("db");
    await db`
      insert into workflows (id, org_id, type, owner_type, owner_id, status, status_at, approval_option, signal_id, queue_id, created_at, created_by_id)
      select 'wfl_changing', i.org_id, 'reprovision', 'installs', i.id, 'in-progress', svc_now(), 'prompt', 'sig_none', q.id, svc_now(), ''
        from installs i join queues q on q.install_id = i.id and q.name = 'changes' where i.id = ${shop.installId}`;
    expect(await shop.discarded(ofModule)).toContain("being changed by the workflow wfl_changing");
    expect(await shop.looks()).toEqual([]);
  });
});
