import { expect, test } from "vitest";
import type { ComponentBuild } from "../../shared/api/builds.ts";
import { until } from "../support/broker/given-polling.ts";
import { type BuildEnd, digestOf, givenBuilder } from "../support/builds/given-builder.ts";
import { svc } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../support/rows/given.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "https://registry.example.com" },
});
const [broker] = brokers;
const manifest = (name: string) => ({ name, type: "kubernetes_manifest", manifest: "{}" });
const config = {
  "metadata.toml": { name: "shop" },
  components: { "api.toml": manifest("api"), "web.toml": manifest("web") },
};

/** An org whose runner ends builds so, and its command line. */
async function given(ends: () => BuildEnd = () => ({ outputs: { digest: digestOf("a") } })) {
  const org = await setup(config);
  const builder = await givenBuilder(org, ends);
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  return { builder, run: async (line: string) => await svc(line.split(" "), { env }) };
}

test("a component is built and followed to its end, and its build is listed and shown", async () => {
  const { run } = await given();
  const built = await run("component build shop web");
  expect(built).toMatchObject({ code: 0, out: "" });
  expect(built.err).toContain(`web is active ${digestOf("a")}`);
  const listed = await run("build list --app shop --component web");
  expect(listed.out).toMatch(
    /^ID +COMPONENT +STATUS +SOURCE +DIGEST +AGE\nbld_\w+ +web +active +-? +sha256:aaaaaaaaaaaa /,
  );
  const id = (await run("build list --app shop -o name")).out.trim();
  expect((await run(`build get ${id}`)).out).toContain(`@${digestOf("a")}`);
  expect(await run(`build logs ${id}`)).toMatchObject({ code: 0, err: "No log records found.\n" });
  expect(await run(`build cancel ${id}`)).toMatchObject({ code: 5, out: "" });
});

test("all are one array as JSON, and ids by name; one that fails is the exit code", async () => {
  const { run } = await given();
  const all = await run("component build shop --all -o json");
  expect(all.code).toBe(0);
  const builds = JSON.parse(all.out) as ComponentBuild[];
  expect(builds.map(({ component_name, status }) => `${component_name} ${status}`).sort()).toEqual([
    "api active",
    "web active",
  ]);
  const named = await run("component build shop web -o name --no-wait");
  expect(named.out).toMatch(/^bld_\w+\n$/);
  const other = await given(() => ({ failure: { class: "not_found", message: "No such chart." } }));
  const failed = await other.run("component build shop web");
  expect(failed.code).toBe(1);
  expect(failed.err).toContain("web is error: No such chart.");
});

test("what cannot be built says what to give", async () => {
  const { run, builder } = await given(() => ({ isHeld: true }));
  expect(await run("component build shop")).toMatchObject({ code: 2, out: "" });
  expect((await run("component build shop --all --ref v1")).err).toContain(
    "--ref and --force are for one component",
  );
  expect((await run("build list --component web")).err).toContain("add --app");
  const id = (await run("component build shop web -o name --no-wait")).out.trim();
  await until(() => builder.held.length === 1);
  expect((await run(`build cancel ${id}`)).err).toBe(`${id} is being cancelled.\n`);
});

test("svc doctor says who makes builds, who does what where nobody does, and how many wait", async () => {
  const org = await setup(config);
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  const doctor = async () => {
    const { out } = await svc(["doctor"], { env });
    return out.split("\n").find((line) => line.startsWith("builds")) ?? "";
  };
  expect(await doctor()).toMatch(/end as errors: the org has no runner group.+--type org$/);
  const { db, orgId, api, appId } = org;
  const runner = await givenRunner(db, { orgId });
  await db`update runner_groups set type = 'org', owner_type = 'org' where id = ${runner.groupId}`;
  expect(await doctor()).toMatch(
    /wait: no connected agent of .+ takes builds\. Whoever .+ No build waits for it now\.$/,
  );
  await api(`POST /v1/apps/${appId}/components/build-all`, {});
  await until(async () => (await doctor()).includes("2 builds wait for it"));
  await givenProcess(db, runner, { serves: { sync: 1 } });
  expect(await doctor()).toContain("wait: no connected agent");
  await givenProcess(db, runner, { serves: { build: 1 } });
  expect(await doctor()).toContain(`made by the runner`);
  await db`update runners set lifecycle = 'disabled' where id = ${runner.runnerId}`;
  expect(await doctor()).toContain(`no runner of the group ${runner.groupId} takes jobs`);
  const token = await givenToken(db, { orgId, role: "installer" });
  const { out } = await svc(["doctor"], { env: { ...env, SVC_TOKEN: token } });
  expect(out).toMatch(/builds +not checked: this token lacks apps.read/);
});
