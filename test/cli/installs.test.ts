import { expect, test } from "vitest";
import { startSvc, svc } from "../support/programs/svc.ts";
import { givenRunner } from "../support/rows/given.ts";
import {
  givenActionsAgent,
  givenWorkflowsApi,
  shopConfig,
} from "../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi();
const [broker] = brokers;

/** An org, and its command line. */
async function given(config?: object) {
  const org = await setup(config);
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  return { org, run: async (line: string) => await svc(line.split(" "), { env }) };
}

test("what an install has of its own is shown and changed", async () => {
  const { run } = await given();
  const made = await run(
    "install create acme --app shop --input audience=x --no-start --label-template who={{.svc.name}} --metadata managed_by=me",
  );
  expect(made.code).toBe(0);
  const shown = await run("install get acme");
  expect(shown.out).toMatch(/labels +who=acme\n/);
  expect(shown.out).toContain("managed_by=me");
  const other = "install labels acme --template whose={{.svc.name}}! --no-template who -o json";
  expect(JSON.parse((await run(other)).out)).toEqual({ whose: "acme!", team: "platform" });
  expect((await run("install enrol acme")).out).toMatch(/^\S+_\S+\n$/);
  expect((await run("install settings acme")).out).toMatch(/approval +prompt/);
  const changed = await run("install settings acme --approval approve-all");
  expect(changed.out).toMatch(/approval +approve-all/);
  const back = await run("install settings acme --approval default -o json");
  expect(JSON.parse(back.out)).toMatchObject({ approval_option: "prompt" });
  const wrong = await run("install settings acme --disable web");
  expect(wrong.err).toContain("has no component web");
});

test("an install's records are read, and written as a file", async () => {
  const { org, run } = await given();
  const metadata = {
    ...shopConfig["metadata.toml"],
    readme: "# {{ .svc.name }}\n{{ .svc.labels.no }}",
  };
  await org.sync({ ...shopConfig, "metadata.toml": metadata });
  await org.create({ inputs: { audience: "x", secret: "s3cr3t" }, start: false });
  const [readme, log, drift, file] = await Promise.all([
    run("install readme acme"),
    run("install audit-log acme"),
    run("install drift acme"),
    run("install export acme"),
  ]);
  expect(readme.out).toBe("# acme\n");
  expect(readme.err).toContain("Line 2: .svc.labels.no is missing");
  expect(log.out).toMatch(/^TIME +WHAT +LINE\n.* createInstall /);
  expect(drift).toMatchObject({ code: 0, out: "" });
  expect(drift.err).toContain("Nothing differs.");
  expect(file.out).toContain('[[inputs]]\n"audience" = "x"\n');
  expect(file.out).not.toContain("s3cr3t");
});

test("keys of labels are listed with their values", async () => {
  const { org, run } = await given();
  await org.create({ labels: { Tier: "gold" }, start: false });
  const [pairs, keys, ofApps, found] = await Promise.all([
    run("install label-keys --app shop"),
    run("install label-keys -o name"),
    run("app label-keys"),
    run("app list --label team=platform -o name"),
  ]);
  expect(pairs.out).toBe("Tier=gold\nteam=platform\n");
  expect(keys.out).toBe("Tier\nteam\n");
  expect(ofApps.out).toBe("team=platform\n");
  expect(found.out).toBe(`${org.appId}\n`);
});

test("where an install's secrets are is said, listed and forgotten", async () => {
  const { org, run } = await given();
  await org.create({ inputs: { audience: "x" }, start: false });
  const google = "projects/acme-1/secrets/license";
  const set = await run(`install secret set acme license --gcp-name ${google}`);
  expect(set.err).toContain(`acme: the secret license is ${google}.`);
  const neither = await run("install secret set acme license");
  expect(neither).toMatchObject({ code: 2 });
  expect(neither.err).toContain("Give one of --arn");
  expect((await run("install secret list acme")).out).toContain(`license  ${google}`);
  expect(await run("install secret delete acme license")).toMatchObject({ code: 0 });
  expect((await run("install secret list acme")).err).toContain("No secrets found.");
});

test("what an install begins is followed to its end when asked, and its end is the exit code", async () => {
  const before = { type: "pre-reprovision" };
  const config = {
    ...shopConfig,
    actions: { "last.toml": { ...shopConfig.actions["last.toml"], triggers: [before] } },
  };
  const { org, run } = await given(config);
  const runner = await givenRunner(org.db, { orgId: org.orgId, parallelism: { actions: 10 } });
  let fails = 1;
  await givenActionsAgent(org, runner, () => (fails-- > 0 ? "failed" : "finished"));
  const create = `install create acme --app shop --input audience=x --runner ${runner.runnerId}`;
  const neither = await run(`${create} --no-start --wait`);
  expect(neither).toMatchObject({ code: 2, out: "" });
  expect(neither.err).toContain("Give one of --no-start and --wait.");
  const made = await run(`${create} --wait -o name`);
  expect(made.out).toMatch(/^ins_\w+\n$/);
  expect([made.code, made.err]).toEqual([0, expect.stringContaining("install: success\n")]);
  const shown = await run("install inputs acme --wait");
  expect([shown.code, shown.err]).toEqual([2, expect.stringContaining("with --set or --unset")]);
  const change = "install inputs acme --set audience=moon --wait -o json";
  const inputs = await run(change);
  expect(JSON.parse(inputs.out)).toMatchObject({ values: { audience: "moon" } });
  expect([inputs.code, inputs.err]).toEqual([0, expect.stringContaining(": success\n")]);
  const same = await run(change);
  expect([same.code, same.err]).toEqual([0, "Nothing changed.\n"]);
  const failed = await run("install reprovision acme --wait");
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("failed-pending-retry")]);
  const [id = ""] = failed.out.split("\n");
  await run(`workflow retry ${id}`);
  await org.reach(id, "success");
  for (const line of ["update-config", "update-config --plan-only", "deprovision --yes"]) {
    const [command, ...flags] = line.split(" ");
    const done = await run(["install", command, "acme", ...flags, "--wait"].join(" "));
    expect([line, done.code, done.err]).toEqual([line, 0, expect.stringContaining(": success\n")]);
    expect(done.out).toMatch(/^wfl_\w+\n$/);
  }
  const gone = await run("install delete acme --yes --wait");
  expect([gone.code, gone.err]).toEqual([0, expect.stringContaining("success")]);
});

test("who stops following leaves the workflow as it is", async () => {
  const { org } = await given();
  const runner = await givenRunner(org.db, { orgId: org.orgId, parallelism: { actions: 10 } });
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  const words = `install create acme --app shop --input audience=x --runner ${runner.runnerId} --wait`;
  const following = startSvc(words.split(" "), { env });
  await expect.poll(() => following.said.err).toContain("runner healthy");
  following.kill("SIGINT");
  const { code, err } = await following.ended;
  expect(code).toBe(130);
  const id = /It continues. See it: svc workflow watch (wfl_\w+)/.exec(err)?.[1] ?? "";
  expect((await org.read(id)).body.status.status).toBe("in-progress");
});
