import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { ShownAction } from "../../../shared/api/actions.ts";
import { eventResources } from "../../../shared/webhooks/event-resources.ts";
import { until } from "../../support/broker/given-polling.ts";
import { signIn } from "../../support/browser/given-dashboard.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { builtDocument } from "../../support/deploys/given-built-config.ts";
import { type Received, startReceiver } from "../../support/queues/start-receiver.ts";
import { givenProcess } from "../../support/rows/given.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup, brokers, call } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const url = brokers[0]?.url ?? "";
const { greet, ...others } = { ...shopConfig.actions, greet: shopConfig.actions["greet.toml"] };
const config = {
  ...shopConfig,
  "secrets.toml": { secret: [{ name: "kept" }] }, // which is copied nowhere
  actions: { ...others, "greet.toml": { ...greet, labels: { tier: "gold" } } },
};
const ops = Object.entries(eventResources).flatMap(([resource, names]) =>
  names.map((op) => ({ resource, op, name: `${resource}.${op}` })),
);

type Org = Awaited<ReturnType<typeof setup>>;
type Told = {
  readonly svckind: string;
  readonly svctransition: string;
  readonly data: {
    readonly workflow: { readonly id: string; readonly type: string };
    readonly step?: { readonly id: string; readonly name: string } & Target;
    readonly links: Readonly<Record<string, string>>;
  };
};
type Target = { readonly target_type?: string; readonly target_id?: string };
const toldOf = ({ body }: Received): Told => JSON.parse(body) as Told;

/** One webhook for each op, at a path that is the op's name, and one for each of these matches. */
async function hear(org: Org, matches: Readonly<Record<string, object>>) {
  const receiver = await startReceiver();
  const add = async (path: string, more: object) => {
    const made = await org.api("POST /v1/orgs/current/webhooks", {
      webhook_url: `${receiver.url}/${path}`,
      ...more,
    });
    expect(made.status).toBe(201);
  };
  for (const { name, resource, op } of ops)
    await add(name, { interests: { resources: { [resource]: { ops: [op] } } } });
  for (const [path, match] of Object.entries(matches)) await add(path, { match });
  await add("all", {});
  return (path: string): Told[] =>
    receiver.received.filter((one) => one.path === `/${path}`).map(toldOf);
}

/** Everything that this version can do with an install; answers the workflow that ran an action. */
async function driveAll(org: Org) {
  const { installId, runner } = await givenInstall(org);
  const at = `/v1/installs/${installId}`;
  const end = async (what: string, body: object = {}) => {
    const begun = await org.api<{ workflow_id: string }>(what, body);
    await org.reach(begun.body.workflow_id, "success");
    return begun.body.workflow_id;
  };
  await end(`PATCH ${at}/inputs`, { inputs: { audience: "moon" } });
  await end(`POST ${at}/reprovision`);
  const { id: newest } = await org
    .sync({ ...config, "metadata.toml": { name: "shop" } })
    .then(({ body }) => body);
  await end(`POST ${at}/app-config-updates`, { app_config_id: newest });
  const run = await end(`POST ${at}/actions/runs`, { name: "greet" });
  await end(`POST ${at}/sync-secrets`);
  await end(`POST ${at}/deprovision`);
  await givenProcess(db, runner);
  await advanceClock(db, "301 s");
  return run;
}

/** All that is done to what an install has deployed: a component and the sandbox. */
async function hearDeploys() {
  const heard: { told?: Awaited<ReturnType<typeof hear>> } = {};
  const { id, provision, begin, ended, api } = await givenApplied(
    setup,
    builtDocument(["a"]),
    { outputs: () => ({ url: "u" }) },
    async (org) => void (heard.told = await hear(org, {})),
  );
  const end = async (workflow: string) =>
    expect((await ended(workflow)).status.status).toBe("success");
  await end(provision);
  const [a] = (await api<{ component_id: string }[]>(`GET /v1/installs/${id}/components`)).body;
  const at = `POST /components/${a?.component_id ?? ""}`;
  await end(await begin(`${at}/deploys`));
  await end(await begin("POST /reprovision-sandbox"));
  await end(await begin(`${at}/teardown`));
  await end(await begin("POST /deprovision-sandbox"));
  const told = heard.told ?? (() => []);
  await until(async () =>
    Promise.resolve(
      ["components.teardown", "sandboxes.deprovision", "sandboxes.provision"].every(
        (op) => told(op).length > 0,
      ),
    ),
  );
  return told;
}

/** The ops that docs say nothing tells of yet. */
async function readUntold(): Promise<string[]> {
  const page = await readFile("docs/no-effect.md", "utf8");
  const [, table = ""] = /<!-- untold-ops -->\n([^]*?)<!-- \/untold-ops -->/.exec(page) ?? [];
  return [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = ""]) => name);
}

/** All that was heard once an org did everything; `run`: the workflow that ran the action. */
async function hearAll() {
  const org = await setup(config);
  const actions = (await org.api<ShownAction[]>(`GET /v1/apps/${org.appId}/actions`)).body;
  const greetId = actions.find(({ name }) => name === "greet")?.id ?? "";
  const heard = await hear(org, {
    "by-id": { actions: { ids: [greetId] } },
    "by-label": { actions: { selector: { match_labels: { tier: "gold" } } } },
    "by-other": { actions: { selector: { match_labels: { tier: "tin" } } } },
  });
  const run = await driveAll(org);
  const isOver = (path: string): boolean =>
    heard(path).some(
      ({ svckind, svctransition: told, data }) =>
        svckind === "workflow" && told === "succeeded" && data.workflow.type === "deprovision",
    );
  await until(async () =>
    Promise.resolve(
      heard("runners.inactive").length > 0 &&
        isOver("installs.deprovision") &&
        isOver("all") &&
        heard("by-id").length >= runLines.length &&
        heard("by-label").length >= runLines.length,
    ),
  );
  return { heard, run, token: org.token };
}

/** What an action's webhook hears of a workflow that was asked to run it. */
const runLines = [
  "workflow started",
  "workflow_step started",
  "workflow_step succeeded",
  "workflow succeeded",
];
const { heard, run, token } = await hearAll();
const deploys = await hearDeploys();

test("each op reaches a receiver that asked for it, or docs/no-effect.md says what is missing", async () => {
  const unheard = ops
    .filter(({ name }) => heard(name).length + deploys(name).length === 0)
    .map(({ name }) => name);
  expect(unheard).toEqual(await readUntold());
});

test("of a runner's account its own step is told, and nothing else", () => {
  for (const path of ["runners.provision", "runners.reprovision"])
    for (const { data } of heard(path))
      expect(data.step?.name).toBe("provision runner service account");
});

test.each(["by-id", "by-label"])("an action's run is told, whole, to who matches it %s", (path) => {
  const lines = heard(path).map((one) => `${one.svckind} ${one.svctransition}`);
  expect(lines).toEqual(runLines);
  expect(new Set(heard(path).map(({ data }) => data.workflow.id))).toEqual(new Set([run]));
  expect(heard("by-other")).toEqual([]);
});

test("each step tells what it works on", () => {
  const steps = heard("all").flatMap(({ data }) => data.step ?? []);
  for (const { target_type: type, target_id: id } of steps) {
    expect(type).toMatch(/^[a-z_]+s$/);
    expect(id).toMatch(/^[a-z]{3}_/);
  }
  const applied = steps.find(({ name }) => name === "apply the config");
  expect(applied).toMatchObject({ target_type: "install_workflow_steps", target_id: applied?.id });
});

test("each link of an event opens, without a setting of where the broker is reached", async () => {
  const links = new Set(heard("all").flatMap(({ data }) => Object.values(data.links)));
  expect(links.size).toBeGreaterThan(6);
  const link = await call<{ path: string }>("POST /v1/sign-in-links", { token });
  const cookie = await signIn(url + link.body.path);
  for (const one of links) {
    expect(one.startsWith(`${url}/`)).toBe(true);
    const page = await fetch(one, { headers: { cookie }, redirect: "manual" });
    expect([one, page.status]).toEqual([one, 200]);
    await page.text();
  }
});
