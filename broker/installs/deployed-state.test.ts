import { describe, expect, test } from "vitest";
import { renderTemplate } from "../../shared/app-config/templates/render-template.ts";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { deployedFacts } from "../../test/support/deploys/planned-deploy.ts";
import { givenRenderer } from "../../test/support/installs/given-renderer.ts";
import { storedOf } from "../../test/support/installs/state-facts.ts";
import { shownStateOf, stateOf } from "./install-state.ts";

const place = { file: "f", member: "m" };
const state = (given: Parameters<typeof deployedFacts>[0]) => {
  const { facts, values } = deployedFacts(given);
  return stateOf({ ...facts, ...values });
};
const rendered = (template: string, given: Parameters<typeof deployedFacts>[0]) => {
  const { text, faults } = renderTemplate(template, { svc: state(given) }, place);
  return text ?? faults.map(({ detail }) => detail).join("\n");
};

describe("the state of what is deployed", () => {
  test("has components with their outputs and images", () => {
    const given = { components: { db: { url: "u", port: 5432 } }, images: { api: "1.0" } };
    expect(state(given)["components"]).toEqual({
      db: {
        name: "db",
        status: "active",
        build_id: "bld_db",
        component_id: "cmp_db",
        install_component_id: "icm_db",
        populated: true,
        outputs: { url: "u", port: 5432 },
      },
      api: expect.objectContaining({
        image: {
          registry: "registry.test",
          repository: "registry.test/api",
          tag: "1.0",
          digest: expect.stringMatching(/^sha256:/) as string,
          pull_secret: "",
        },
        outputs: {},
      }) as object,
    });
  });

  test("has a component by its other name, too, unless that is another's name", () => {
    const components = [
      { name: "db", var_name: "database" },
      { name: "cache", var_name: "db" },
    ];
    const given = {
      config: { components },
      components: { db: { a: "of db" }, cache: { a: "of cache" } },
    };
    const template = "{{ .svc.components.database.outputs.a }}, {{ .svc.components.db.outputs.a }}";
    expect(rendered(template, given)).toBe("of db, of db");
  });

  test("has no outputs of what was never deployed", () => {
    const given = { config: { components: [{ name: "db" }] } };
    expect(state(given)["components"]).toEqual({ db: { name: "db", populated: false } });
    expect(rendered("{{ .svc.components.db.outputs.url }}", given)).toBe(
      ".svc.components.db.outputs.url is missing: the component db has no outputs yet",
    );
  });

  test("has no outputs and no build of what was torn down", () => {
    const { facts, values } = deployedFacts({ components: { db: {} }, sandbox: {} });
    const [db] = facts.deployed?.components ?? [];
    const components = db === undefined ? [] : [{ ...db, status: "inactive", build_id: null }];
    const deployed = {
      components,
      sandbox: { status: "inactive", type: "terraform", version: "" },
    };
    const torn = stateOf({ ...facts, ...values, deployed, ends: [] });
    expect(torn["components"]).toEqual({
      db: {
        name: "db",
        status: "inactive",
        component_id: "cmp_db",
        install_component_id: "icm_db",
        populated: false,
      },
    });
    expect(torn["sandbox"]).toEqual({ ...deployed.sandbox, populated: false });
    expect(torn["domain"]).toEqual({ populated: false });
  });

  test("has the sandbox in both places, and the domains that it gives", () => {
    const outputs = { public_domain: { name: "a.test", zone_id: "z" }, vpc: { id: "v" } };
    const found = state({ sandbox: outputs });
    const sandbox = {
      status: "active",
      type: "terraform",
      version: "abc",
      populated: true,
      outputs,
    };
    expect(found["sandbox"]).toEqual(sandbox);
    expect(found["install"]).toMatchObject({ id: "ins_a", public_domain: "a.test", sandbox });
    expect(found["domain"]).toEqual({ populated: true, public_domain: "a.test" });
    expect(rendered("{{ .svc.install.internal_domain }}", { sandbox: outputs })).toBe(
      ".svc.install.internal_domain is missing: the sandbox has not given the install its domains yet",
    );
  });

  test("hides what has a sensitive value in it", () => {
    const secret = "hunter22-value";
    const { facts, values } = deployedFacts({
      inputNames: ["key"],
      inputs: { key: secret },
      config: {
        inputs: { input: [{ name: "key", sensitive: true }] },
        components: [{ name: "db", var_name: "d" }],
      },
      components: { db: { url: `u:${secret}`, port: 1 } },
      sandbox: { public_domain: `${secret}.test`, open: "x" },
    });
    const shown = shownStateOf({ ...facts, ...values }, new RenderWork());
    const db = { outputs: { url: "(secret)", port: 1 } };
    expect(shown).toMatchObject({
      components: { db, d: db },
      sandbox: { outputs: { public_domain: "(secret)", open: "x" } },
      domain: { public_domain: "(secret)" },
      install: { public_domain: "(secret)", sandbox: { outputs: { open: "x" } } },
    });
    expect(JSON.stringify(shown)).not.toContain(secret);
  });
});

describe("outputs of what is deployed", () => {
  const outputs = {
    act: { v: "of act" },
    "component:db": { v: "of db" },
    "sandbox:": { v: "of sandbox", internal_domain: "i.test" },
  };

  test.each([
    [
      "none",
      "{{ .svc.id }} {{ .svc.sandbox.status }} {{ .svc.components.db.name }}",
      "ins_a active db",
      [],
    ],
    ["those of a component", "{{ .svc.components.db.outputs.v }}", "of db", ["component:db"]],
    ["those of the sandbox", "{{ .svc.install.sandbox.outputs.v }}", "of sandbox", ["sandbox:"]],
    ["those for a domain", "{{ .svc.domain.internal_domain }}", "i.test", ["sandbox:"]],
    ["those for whether there is one", "{{ .svc.domain.populated }}", "true", ["sandbox:"]],
    [
      "those for one that is not there",
      "{{ .svc.install.public_domain | default `-` }}",
      "-",
      ["sandbox:"],
    ],
  ])("are read where a template asks for them: %s", async (_, template, text, read) => {
    const { facts } = deployedFacts({ components: { db: {} }, sandbox: {} });
    const stored = storedOf({ inputs: {}, outputs });
    const given = { templates: { k: template }, facts };
    const order = { orgId: "org_a", name: "labels", given, values: stored.values } as const;
    const { labels } = await givenRenderer().render(order);
    expect({ text: labels?.["k"], read: stored.read }).toEqual({ text, read });
  });

  test("are all in a state that people are shown", async () => {
    const { facts } = deployedFacts({ components: { db: {} }, sandbox: {} });
    const { values } = storedOf({ outputs });
    const order = { orgId: "org_a", name: "shown-state", given: { facts }, values } as const;
    const { text } = await givenRenderer().render(order);
    expect(JSON.parse(Buffer.from(text).toString())).toMatchObject({
      components: { db: { outputs: { v: "of db" } } },
      sandbox: { outputs: { v: "of sandbox" } },
      domain: { internal_domain: "i.test" },
    });
  });
});
