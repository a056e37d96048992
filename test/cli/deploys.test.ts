import { expect, test } from "vitest";
import { newId } from "../../broker/database/new-id.ts";
import { givenDeploy } from "../support/deploys/given-deploy.ts";
import { givenDeployable } from "../support/deploys/given-deploys.ts";
import { svc } from "../support/programs/svc.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { brokers, db, setup } = await givenWorkflowsApi();
const [broker] = brokers;

/** An install with components, and its command line. */
async function given() {
  const shop = await givenDeployable(setup);
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: shop.token };
  return { shop, run: async (line: string) => await svc(line.split(" "), { env }) };
}

test("what is deployed in an install is listed and shown", async () => {
  const { shop, run } = await given();
  const buildId = await shop.build("db");
  const wanted = { component: "db", buildId, hasDrift: true };
  const { id } = await givenDeploy(db, shop.of, wanted);
  const { id: runId } = await givenDeploy(db, shop.of, {});
  const components = await run("install components acme");
  expect(components.out).toMatch(/^NAME +TYPE +STATUS +BUILD +DIGEST +DRIFT +DEPLOY\n/);
  expect(components.out).toMatch(
    new RegExp(`db +terraform_module +active +${buildId} +sha256:abc +1 added, 2 changed +${id}`),
  );
  expect(components.out).toMatch(/extra +terraform_module +off /);
  expect((await run("install drift acme")).out).toBe(`db: 1 added, 2 changed (${id})\n`);
  expect((await run("install outputs acme db")).out).toBe("{}\n");
  for (const line of ["deploy list acme", "deploy list acme db"])
    expect((await run(line)).out).toMatch(
      new RegExp(`${id} +db +apply +active +2 added, 1 changed +sha256:abc `),
    );
  expect((await run("deploy list acme web")).err).toContain("No deploys found.");
  expect((await run(`deploy get acme ${id}`)).out).toContain(`build      ${buildId}\n`);
  expect((await run("sandbox runs acme -o name")).out).toBe(`${runId}\n`);
  expect((await run(`sandbox get acme ${runId}`)).out).toMatch(/type +provision\n/);
});

test("a component is deployed, switched and torn down, and each answers what to watch", async () => {
  const { shop, run } = await given();
  const [old, now] = [await shop.build("db"), await shop.build("db")];
  expect((await run("deploy acme db --rollback")).err).toContain("nothing to go back from");
  await givenDeploy(db, shop.of, { component: "db", buildId: old });
  await givenDeploy(db, shop.of, { component: "db", buildId: now });
  const back = await run("deploy acme db --rollback --no-wait -o json");
  expect(JSON.parse(back.out)).toMatchObject({ build_id: old, component_name: "db" });
  expect(back.err).toMatch(/^Watch it: svc workflow watch wfl_\w+\n$/);
  const begun = [
    "deploy acme web --plan-only",
    "install deploy-all acme",
    "install toggle acme extra on",
    "install teardown acme db",
    "install teardown acme --all",
  ];
  for (const line of begun) {
    const { code, out } = await run(`${line} --no-wait`);
    expect([line, code, out.slice(0, 4)]).toEqual([
      line,
      0,
      line.startsWith("deploy") ? "dep_" : "wfl_",
    ]);
  }
  const refused = await run("install toggle acme db off --no-wait");
  expect(refused).toMatchObject({ code: 5, out: "" });
  expect((await run("install teardown acme")).err).toContain("either a component or --all");
  expect((await run("deploy acme db --build x --recover")).err).toContain("Give one of --build");
});

test("a rollback finds another build behind more deploys than a page has", async () => {
  const { shop, run } = await given();
  const [old, now] = [await shop.build("db"), await shop.build("db")];
  await givenDeploy(db, shop.of, { component: "db", buildId: old });
  const { id } = await givenDeploy(db, shop.of, { component: "db", buildId: now });
  const ids = Array.from({ length: 100 }, () => newId("dep"));
  await db`
    insert into install_deploys
    select (jsonb_populate_record(d, jsonb_build_object('id', n.id))).*
      from install_deploys d, unnest(${ids}::text[]) n (id) where d.id = ${id}`;
  await givenDeploy(db, shop.of, { component: "db", buildId: now });
  const back = await run("deploy acme db --rollback --no-wait -o json");
  expect(JSON.parse(back.out)).toMatchObject({ build_id: old });
});

test("a sandbox is deprovisioned, and a component forgotten, only by who confirms it", async () => {
  const { shop, run } = await given();
  await db`update installs set lifecycle_phase = 'active' where id = ${shop.installId}`;
  await givenDeploy(db, shop.of, { component: "db" });
  expect((await run("install forget-component acme db")).err).toContain("add --yes");
  const forgotten = await run("install forget-component acme db --yes");
  expect(forgotten.err).toBe("db is taken as torn down.\n");
  expect((await run("sandbox deprovision acme --no-wait")).err).toContain("add --yes");
  for (const line of ["deprovision acme --yes", "reprovision acme --skip-components"])
    expect((await run(`sandbox ${line} --no-wait`)).out).toMatch(/^wfl_\w+\n$/);
});
