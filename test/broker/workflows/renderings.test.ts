import { describe, expect, onTestFinished, test } from "vitest";
import type { Broker } from "../../../broker/broker.ts";
import type { Renderer, RenderOrder } from "../../../broker/rendering/renderer.ts";
import type { RenderingName } from "../../../broker/rendering/renderings.ts";
import { byOthers, workProblem } from "../../../broker/work-pool/work-problems.ts";
import type { ShownInputs } from "../../../shared/api/install-inputs.ts";
import type { Install } from "../../../shared/api/install.ts";
import { quickBudget } from "../../../shared/app-config/templates/render-work.ts";
import { problem } from "../../../shared/problem.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup, brokers, call } = await givenWorkflowsApi({ brokers: 2 });

const nested = (of: string): string => {
  const loop = `{{ range split "" $.svc.${of} }}`;
  return `${loop}${loop}${loop}{{ . }}${"{{ end }}".repeat(3)}`;
};
const sixty = (template: string) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, template]));

/** The steps of templates that the brokers have taken so far while others waited, and how often. */
async function quickSteps(): Promise<number> {
  const texts = brokers.map(({ broker }) => broker.metrics.text());
  const found = texts.flatMap((text) => [
    ...text.matchAll(/^svc_quick_rendering_steps_total\S* (\d+)$/gm),
  ]);
  return found.reduce((sum, [, steps]) => sum + Number(steps), 0);
}

type Order = RenderOrder<RenderingName>;

/** Notes the plans that brokers render of this org from now on, and may come between. */
function notePlans(orgId: string, between?: (orders: readonly Order[]) => Promise<unknown>) {
  const orders: Order[] = [];
  for (const { broker } of brokers) {
    const real = broker.render;
    const noting: Renderer = async (order, gone) => {
      if (order.orgId === orgId && order.name === "plan") {
        orders.push(order);
        await between?.(orders);
      }
      return await real(order, gone);
    };
    const open = broker as { -readonly [Part in keyof Broker]: Broker[Part] };
    open.render = noting;
    onTestFinished(() => void (open.render = real));
  }
  return orders;
}

describe("templates of labels that take too much together", () => {
  test("are refused by the one at which it is spent, and nothing changes; others are answered", async () => {
    const org = await setup();
    const other = await setup();
    const templates = sixty(nested("id"));
    const before = await quickSteps();
    const [refused, ...shown] = await Promise.all([
      org.create({ label_templates: templates }),
      ...Array.from({ length: 5 }, () => other.api<Install[]>("GET /v1/installs")),
    ]);
    const fault = {
      pointer: expect.stringMatching(/^#\/label_templates\/k\d+$/) as unknown,
      code: "template_too_costly",
      detail: expect.stringContaining("it takes more than 1000000 steps") as unknown,
    };
    expect(refused).toMatchObject({ status: 422, body: { errors: [fault] } });
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await quickSteps()) - before).toBeLessThan(quickBudget.steps + 200);
    expect((await org.api<Install[]>("GET /v1/installs")).body).toEqual([]);

    const made = await org.create({ label_templates: { a: "{{ .svc.name }}" }, start: false });
    const at = `/v1/installs/${made.body.id}`;
    const change = { label_templates: templates, name: "other" };
    expect(await org.api(`PATCH ${at}`, change)).toMatchObject({
      status: 422,
      body: { errors: [fault] },
    });
    const { body } = await org.api<Install>(`GET ${at}`);
    expect([body.name, body.labels]).toEqual(["acme", { a: "acme", team: "platform" }]);
  });

  test("in a later step leave the labels as they were, and the step says so", async () => {
    const org = await setup();
    const label_templates = sixty(nested("inputs.inputs.audience"));
    const { installId } = await givenInstall(org, { label_templates, inputs: { audience: "a" } });
    const read = async () => (await org.api<Install>(`GET /v1/installs/${installId}`)).body.labels;
    const before = await read();
    expect(before["k59"]).toBe("a");
    const { body } = await org.api<ShownInputs>(`PATCH /v1/installs/${installId}/inputs`, {
      inputs: { audience: "a".repeat(40) },
    });
    const ended = await org.reach(body.workflow_id ?? "", "success");
    const said = ended.steps.map(({ status }) => status.status_human_description);
    expect(said).toContainEqual(
      expect.stringMatching(/^The labels were not changed: .* k\d+: it /),
    );
    expect(await read()).toEqual(before);
  });
});

describe("a move that renders", () => {
  test("does so once, though somebody else moves the workflow meanwhile", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const orders = notePlans(org.orgId, async (all) => {
      if (all.length === 1)
        await db`update workflows set version = version + 1 where org_id = ${org.orgId} and type = 'action_workflow_run'`;
    });
    const { body } = await org.run(installId, "greet");
    await org.reach(body.workflow_id, "success");
    expect(orders.map(({ name }) => name)).toEqual(["plan"]);
  });

  test("does so again where what it reads has changed", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const orders = notePlans(org.orgId, async (all) => {
      if (all.length > 1) return;
      await db`update installs set name = 'zeta' where id = ${installId}`;
      await db`update workflows set version = version + 1 where org_id = ${org.orgId} and type = 'action_workflow_run'`;
    });
    const { body } = await org.run(installId, "greet");
    await org.reach(body.workflow_id, "success");
    const names = orders.map(
      ({ given }) =>
        (given as unknown as { facts: { install: { name: string } } }).facts.install.name,
    );
    expect(names).toEqual(["acme", "zeta"]);
  });

  test.each([
    ["others of its org are rendered", () => byOthers(problem.tooMany("busy", 5, "busy"))],
    ["other orgs take too long", () => byOthers(problem.unavailable("late", 5))],
    ["the broker stops", workProblem.stopping],
  ])("is made again later where %s, and that is no fault of the workflow", async (_, refusal) => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const seen: number[] = [];
    const mostAttempts = 4; // more than its task has
    const plans = notePlans(org.orgId, async (all) => {
      if (all.length <= mostAttempts) throw refusal();
      const rows = await db<{ faults: number }[]>`
        select faults from workflows where org_id = ${org.orgId} and type = 'action_workflow_run'`;
      seen.push(...rows.map(({ faults }) => faults)); // a move that is written counts anew
    });
    const { body } = await org.run(installId, "greet");
    await org.reach(body.workflow_id, "success");
    expect(seen).toEqual([0]);
    expect(plans).toHaveLength(mostAttempts + 1);
  });

  test("at two brokers at once begins one run", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const orders = notePlans(org.orgId);
    const runs = await Promise.all(Array.from({ length: 4 }, () => org.run(installId, "greet")));
    for (const { body } of runs) await org.reach(body.workflow_id, "success");
    const jobs = await db<{ count: number }[]>`
      select count(*)::int as count from install_action_runs
       where org_id = ${org.orgId} and name = 'greet' and runner_job_id is not null`;
    expect(jobs).toEqual([{ count: 4 }]);
    const ids = orders.map(({ given }) => (given as unknown as { run: { id: string } }).run.id);
    expect(new Set(ids).size).toBe(4);
  });

  test("has a run whose template is at its bound rendered elsewhere, and fail", async () => {
    const steps = [{ name: "run", command: sixty(nested("id"))["k0"]?.repeat(40) ?? "" }];
    const actions = { ...shopConfig.actions, "big.toml": { name: "big", steps } };
    const org = await setup({ ...shopConfig, actions });
    const { installId } = await givenInstall(org);
    const before = await quickSteps();
    const { body } = await org.run(installId, "big");
    const ended = await org.reach(body.workflow_id, "failed-pending-retry", "error");
    expect(JSON.stringify(ended)).toContain("it takes more than 1000000 steps");
    expect((await quickSteps()) - before).toBeLessThan(2 * (quickBudget.steps + 200));
  });
});

test("a readme that takes too much shows what was rendered until then, and says so", async () => {
  const readme = `# Shop\n${nested("id").repeat(40)}`;
  const org = await setup({
    ...shopConfig,
    "metadata.toml": { ...shopConfig["metadata.toml"], readme },
  });
  const made = await org.create({ start: false });
  const shown = await call<{ readme: string; warnings: string[] }>(
    `GET /v1/installs/${made.body.id}/readme`,
    { token: org.token },
  );
  expect(shown.status).toBe(206);
  expect(shown.body.readme.startsWith("# Shop\n")).toBe(true);
  expect(shown.body.warnings).toEqual([
    expect.stringContaining("it takes more than 1000000 steps"),
  ]);
});
