import { expect, test } from "vitest";
import { svc } from "../support/programs/svc.ts";
import { givenWorkflowsApi, shopConfig } from "../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi();
const [broker] = brokers;

const helm = {
  type: "helm_chart",
  chart_name: "web",
  public_repo: { repo: "a/b", directory: "." },
};
const config = {
  ...shopConfig,
  components: { "web.toml": { name: "web", ...helm } },
  runbooks: {
    "again.toml": { name: "again", steps: [{ name: "run", type: "action", command: "true" }] },
  },
};

/** An org, and its command line. */
async function given(document: object = shopConfig) {
  const org = await setup(document);
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  return { org, run: async (line: string) => await svc(line.split(" "), { env }) };
}

test("an app's components and runbooks are listed and shown", async () => {
  const { run } = await given(config);
  const [components, component, runbooks, runbook, none, graph] = await Promise.all([
    run("app component list shop"),
    run("app component get shop web"),
    run("app runbook list shop --query aga -o name"),
    run("app runbook get shop again"),
    run("app component get shop db"),
    run("app config graph shop"),
  ]);
  expect(components.out).toMatch(/^NAME +ID +TYPE +CONFIG +AGE\nweb +cmp_\w+ +helm_chart +cfg_/);
  expect(component.out).toContain('"chart_name": "web"');
  expect(runbooks.out).toBe("again\n");
  expect(runbook.out).toMatch(/^name +again\nid +rbk_/);
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("List them: svc app component list shop");
  expect(graph.out).toBe("component web\n");
});

test("an app's action is named, labelled, renamed and deleted", async () => {
  const { run } = await given();
  const made = await run("app action create shop later");
  expect(made.out).toMatch(/^name +later\nid +act_\w+\n.*\nconfig +not in the active config\n/);
  const set = await run("app action labels shop later --set team=web --set tier=1");
  expect(set.out).toBe("team=web\ntier=1\n");
  expect((await run("app action list shop --label team=web -o name")).out).toBe("later\n");
  expect((await run("app action labels shop later --unset tier")).out).toBe("team=web\n");
  const renamed = await run("app action update shop later --name soon -o json");
  const { id } = JSON.parse(renamed.out) as { id: string };
  expect((await run(`app action get shop ${id}`)).out).toMatch(/^name +soon\n/);
  expect(await run("app action delete shop soon")).toMatchObject({ code: 2 });
  expect(await run("app action delete shop soon --yes")).toMatchObject({ code: 0 });
  expect(await run("app action get shop soon")).toMatchObject({ code: 2 });
  const used = await run("app action delete shop greet --yes");
  expect(used).toMatchObject({ code: 5, out: "" });
});

test("components are labelled, and deleted as runbooks are once no config has them", async () => {
  const { org, run } = await given(config);
  const set = await run("app component labels shop web --set team=web --set tier=1");
  expect(set.out).toBe("team=web\ntier=1\n");
  expect((await run("app component list shop --label tier=1 -o name")).out).toBe("web\n");
  expect((await run("app component labels shop web --unset tier")).out).toBe("team=web\n");
  const used = await run("app component delete shop web --yes");
  expect(used).toMatchObject({ code: 5, out: "" });
  await org.api(`POST /v1/apps/${org.appId}/configs/sync`, shopConfig);
  for (const [kind, name] of [
    ["component", "web"],
    ["runbook", "again"],
  ] as const) {
    expect(await run(`app ${kind} delete shop ${name}`)).toMatchObject({ code: 2 });
    expect(await run(`app ${kind} delete shop ${name} --yes`)).toMatchObject({ code: 0 });
    expect(await run(`app ${kind} get shop ${name}`)).toMatchObject({ code: 2 });
  }
});

test("an app is created without a config, and changed", async () => {
  const { run } = await given();
  const made = await run("app create bare --description Words");
  expect(made.out).toMatch(/name +bare\n.*description +Words\nconfig +none yet\n/s);
  expect(await run("app update bare")).toMatchObject({ code: 2 });
  const changed = await run("app update bare --name other --repo o/r --directory app");
  expect(changed.out).toMatch(/name +other\n.*repository +o\/r\ndirectory +app\n/s);
  const bare = await run("app update-installs other --all");
  expect(bare).toMatchObject({ code: 2, out: "" });
  expect(bare.err).toContain("other has no active config.");
});

test("installs are brought to a config, all or some", async () => {
  const { org, run } = await given();
  const acme = (await org.create({ start: false })).body;
  const other = (await org.create({ name: "other", start: false })).body;
  expect(await run("app update-installs shop")).toMatchObject({ code: 2, out: "" });
  expect(await run("app update-installs shop acme --all")).toMatchObject({ code: 2, out: "" });
  const some = await run("app update-installs shop acme -o json");
  expect(JSON.parse(some.out)).toMatchObject({ installs: [{ install_id: acme.id }] });
  const all = await run("app update-installs shop --all -o name");
  expect(all.out.trim().split("\n").toSorted()).toEqual([acme.id, other.id].toSorted());
  const both = await run(`app update-installs shop acme ${other.id} --config ${org.configId}`);
  expect(both.out).toMatch(/^INSTALL +OUTCOME +WORKFLOW +WHY\nins_/);
  const wrong = await run("app update-installs shop acme nobody");
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toContain("There is no install nobody.");
});

test("an install is renamed; its states and outputs are read", async () => {
  const { org, run } = await given();
  await org.create({ start: false, metadata: { a: "1", b: "2" } });
  expect(await run("install update acme")).toMatchObject({ code: 2 });
  const changed = await run("install update acme --name acme-eu --metadata c=3 --unset a");
  expect(changed.out).toMatch(/name +acme-eu\n.*metadata +b=2\n +c=3\n/s);
  const [outputs, unknown, states] = await Promise.all([
    run("action outputs acme-eu greet"),
    run("action outputs acme-eu nothing"),
    run("install state-history acme-eu"),
  ]);
  expect(outputs).toMatchObject({ code: 0, out: "{}\n" });
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(states.code).toBe(0);
});

test("a workflow tells whom it waits for", async () => {
  const { org, run } = await given();
  const install = (await org.create()).body;
  const first = await run(`workflow position ${install.workflow_id ?? ""}`);
  expect(first).toMatchObject({ code: 0, out: "" });
  expect(first.err).toContain("It does not wait for any other.");
  await run("install inputs acme --set greeting=Welcome");
  const [second] = (await run("workflow list acme --type input_update -o name")).out.split("\n");
  const behind = await run(`workflow position ${second ?? ""}`);
  expect(behind.out).toMatch(new RegExp(`^${install.workflow_id} provision: `));
  expect(behind.err).toContain("1 of the 2 in its lane is ahead of it.");
});
