import { expect, test } from "vitest";
import { svc } from "../support/programs/svc.ts";
import { givenWorkflowsApi, shopConfig } from "../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi();
const [broker] = brokers;

/** An org, and its command line. */
async function given() {
  const org = await setup();
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
