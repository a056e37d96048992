import { expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const module = { type: "terraform_module", public_repo: { repo: "https://git.example.com/a.git" } };

test("what has waited for its build has a day again when it waits for another workflow then", async () => {
  const { api, id, orgId, processId, provision, begin, ended, read } = await givenApplied(setup, {
    "metadata.toml": { name: "shop" },
    components: { "a.toml": { name: "a", ...module } },
  });
  await ended(provision);
  await db`update component_builds set status = 'building', finished_at = null`;
  const workflow = await begin("POST /components/deploy-all");
  const step = async () =>
    (await read(workflow)).body.steps.find(({ name }) => name === "sync and plan a");
  const words = async () => (await step())?.status.status_human_description;
  /** Has it looked at, and waits until that is done. */
  const look = async () => {
    await db`select wake_workflow(${orgId}, ${workflow})`;
    const due = async () =>
      (await db`select from graphile_worker.jobs where run_at <= now()`).length;
    await expect.poll(due).toBe(0);
  };
  const hoursLeft = async () =>
    await db<{ hours: number }[]>`
      select extract(epoch from deadline_at - svc_now())::float / 3600 as hours from workflow_steps
       where workflow_id = ${workflow} and name = 'sync and plan a'`;
  const alive = [processId];
  await expect.poll(words).toMatch(/^it waits for the build bld_/);
  await advanceClock(db, "23 hours", { alive });
  const other = newId("dep");
  await db`
    with theirs as (
      insert into install_deploys
      select (jsonb_populate_record(d, jsonb_build_object('id', ${other}::text, 'workflow_id', ${newId("wfl")}::text, 'status', 'planning'))).*
        from install_deploys d where d.install_id = ${id} and d.status = 'active')
    update component_builds set status = 'active', finished_at = svc_now()`;
  await look();
  expect(await words()).toBe("another workflow works on it: it waits for that");
  expect((await hoursLeft())[0]?.hours).toBeGreaterThan(23.9);
  await advanceClock(db, "2 hours", { alive }); // the first wait's day is over
  await look();
  expect((await step())?.status.status).toBe("in-progress");
  // The second has one of its own, which ends.
  await advanceClock(db, "23 hours", { alive });
  await look();
  expect((await step())?.status.status).toBe("failed-pending-retry");
  expect(await words()).toContain("did not end within a day");
  await db`update install_deploys set status = 'cancelled' where id = ${other}`;
  const retry = await api(`POST /v1/workflows/${workflow}/steps/${(await step())?.id ?? ""}/retry`);
  expect(retry.status).toBe(201);
  expect((await ended(workflow)).status.status).toBe("success");
});
