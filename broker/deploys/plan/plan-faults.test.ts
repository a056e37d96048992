import { describe, expect, test } from "vitest";
import { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import {
  componentIn,
  deployedFacts,
  exampleConfig,
  orderOf,
  plannedDeploy,
  readPlan,
} from "../../../test/support/deploys/planned-deploy.ts";
import { KnownOutputs, sandboxKey } from "../../installs/known-outputs.ts";
import type { ComponentConfigPart } from "../deploy-order.ts";
import { planDeploy } from "./plan-deploy.ts";

const chart: ComponentConfigPart = { type: "helm_chart", name: "web", chart_name: "web" };
const moduleWith = (vars: Record<string, string>): ComponentConfigPart => ({
  type: "terraform_module",
  name: "db",
  vars,
});

describe("a deploy that cannot be planned", () => {
  test("says which component has not given its outputs yet", async () => {
    const config = await exampleConfig("terraform-database");
    const api = componentIn(config, "api");
    const inputs = { folder: "/srv" };
    expect(plannedDeploy(api, { config, inputs })).toMatchObject({
      code: "missing_value",
      title: "A value is missing",
      detail:
        "components/api.toml, vars.database_url_file: .svc.components.database.outputs.url_file is missing: the component database has no outputs yet",
    });
    expect(plannedDeploy(api, { inputs, components: { database: { other: 1 } } })).toMatchObject({
      detail: expect.stringContaining("the component database has no output url_file") as string,
    });
  });

  test("says what cannot be rendered, without the value", () => {
    const given = { inputNames: ["secret", "size"], inputs: { size: "large" } };
    expect(
      plannedDeploy(moduleWith({ n: "{{ int .svc.inputs.inputs.size }}" }), given),
    ).toMatchObject({
      code: "render_failed",
      title: "The component's config could not be rendered",
      detail: expect.stringContaining("components/db.toml, vars.n: ") as string,
    });
  });

  test.each([
    ["the sandbox", chart, {}, "The install's sandbox has no output `cluster`"],
    [
      "the component of its context",
      { ...chart, kubernetes_context: "own" },
      {
        config: {
          kubernetes_contexts: { context: [{ name: "own", source_component_name: "eks" }] },
        },
      },
      "context own is that of the component eks",
    ],
    ["anything", { ...chart, kubernetes_context: "gone" }, {}, "component (none)"],
  ])("on a cloud says that %s names no cluster", (_, component, given, words) => {
    const install = { cloud_platform: "aws", cloud_account: { region: "eu-west-1" } } as never;
    expect(plannedDeploy(component, { ...given, install })).toMatchObject({
      code: "cluster_missing",
      detail: expect.stringContaining(words) as string,
    });
  });

  test.each([
    ["kube_config", { kube_config: "users: [{name: a, user: {token: ***}}]" }],
    ["token", { endpoint: "https://c.example.com", token: "***" }],
  ])("is one whose cluster's %s was hidden on its way from the runner", (member, cluster) => {
    expect(plannedDeploy(chart, { sandbox: { cluster } })).toMatchObject({
      code: "cluster_missing",
      detail: expect.stringContaining(`The output ${member} that names its cluster`) as string,
    });
  });

  test("is one whose context leads nowhere, also of no cloud", () => {
    const component = { ...moduleWith({}), kubernetes_context: "own" };
    expect(plannedDeploy(component)).toMatchObject({ code: "cluster_missing" });
  });

  test("is one whose values cannot be set", () => {
    const component = { ...chart, values: { "a[0]": 1.5 } };
    expect(plannedDeploy(component)).toMatchObject({
      code: "render_failed",
      detail: expect.stringContaining("components/web.toml, values.a[0]: ") as string,
    });
  });

  test("is one whose manifest renders to nothing", () => {
    const manifest = "{{ if eq .svc.name `nobody` }}\nkind: A\n{{ end }}\n";
    const component = { type: "kubernetes_manifest", name: "web", manifest } as const;
    expect(plannedDeploy(component)).toMatchObject({
      code: "render_failed",
      detail: expect.stringContaining(
        "components/web.toml: the manifest renders to nothing",
      ) as string,
    });
    const some = { ...component, manifest: manifest.replace("if eq", "if ne") };
    expect(plannedDeploy(some)).toMatchObject({ type: "kubernetes-manifest-deploy" });
  });

  test("is one that would be longer than 8 MiB with its twin", () => {
    const loop = "{{ range split `` $.svc.name }}";
    const turns = `${loop}${loop}${"x".repeat(2 ** 20)}{{ end }}{{ end }}`;
    const planned = plannedDeploy(moduleWith({ a: `{{ $.svc.id }}${turns.repeat(5)}` }));
    expect("text" in planned ? planned.text.length : planned).toMatchObject({
      code: "render_failed",
      detail: expect.stringContaining("longer than 8388608 bytes") as string,
    });
  });

  test("is one that reads more outputs than may be read", () => {
    const { facts, values } = deployedFacts({ sandbox: {} });
    const outputs = new KnownOutputs(new Map(), [sandboxKey]);
    const planned = planDeploy(orderOf(chart, facts), { ...values, outputs }, new RenderWork());
    expect(planned).toMatchObject({
      code: "render_failed",
      detail: expect.stringContaining("more than 16777216 bytes") as string,
    });
  });
});

describe("what is sensitive of a deploy", () => {
  const secret = "hunter22-value";
  const given = { inputNames: ["key"], inputs: { key: secret } };

  test("is masked for people, and named for logs", () => {
    const vars = {
      key: "{{ .svc.inputs.inputs.key }}",
      open: "{{ .svc.id }}",
      tail: "<{{ .svc.inputs.inputs.key | upper }}>",
    };
    const { plan, shown, secrets } = readPlan(plannedDeploy(moduleWith(vars), given));
    expect(plan["terraform"]).toMatchObject({
      vars: { key: secret, open: "ins_a", tail: `<${secret.toUpperCase()}>` },
    });
    expect(shown).toMatchObject({
      terraform: { vars: { key: "(secret)", open: "ins_a", tail: "<(secret)>" } },
      secrets: ["(secret)"],
    });
    expect(secrets).toEqual([
      secret,
      secret.toUpperCase(),
      expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    ]);
  });

  test("is in outputs of components, and of a cluster", () => {
    const sandbox = { cluster: { name: "eks", endpoint: "https://a.test", token: secret } };
    const component = { ...chart, values: { "db.url": "{{ .svc.components.db.outputs.url }}" } };
    const more = { ...given, sandbox, components: { db: { url: `https://x:${secret}@db` } } };
    const { plan, shown, text } = readPlan(plannedDeploy(component, more));
    expect(plan["helm"]).toMatchObject({
      cluster_info: { token: secret },
      values: [{ name: "db.url", value: `https://x:${secret}@db`, type: "string" }],
    });
    expect(shown["helm"]).toMatchObject({
      cluster_info: { endpoint: "https://a.test", token: "(secret)" },
      values: [{ name: "db.url", value: "(secret)", type: "string" }],
    });
    expect(JSON.parse(text)).toMatchObject({
      secrets: expect.arrayContaining([secret]) as unknown,
    });
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  test("makes the text of each plan another, and the digest of its values the same", () => {
    const part = moduleWith({ key: "{{ .svc.inputs.inputs.key }}" });
    const [one, other] = [
      readPlan(plannedDeploy(part, given)),
      readPlan(plannedDeploy(part, given)),
    ];
    expect(one.text).not.toBe(other.text);
    expect(one.valuesDigest).toBe(other.valuesDigest);
  });
});

describe("the digest of the values of a deploy", () => {
  const digestOf = (...asked: Parameters<typeof plannedDeploy>): string =>
    readPlan(plannedDeploy(...asked)).valuesDigest;
  const cluster = { name: "eks", endpoint: "https://a.test", token: "one" };
  const first = digestOf(chart, { sandbox: { cluster } });

  test("is another by a value, an artifact or a cluster", () => {
    const artifact = {
      server: "r",
      repository: "r",
      tag: "t",
      digest: "sha256:b",
      plainHttp: true,
    };
    const others = [
      digestOf({ ...chart, values: { a: 1 } }, { sandbox: { cluster } }),
      digestOf(chart, { sandbox: { cluster } }, { artifact }),
      digestOf(chart, { sandbox: { cluster: { ...cluster, endpoint: "https://b.test" } } }),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is the same by another token, deploy or config", () => {
    const sandbox = { cluster: { ...cluster, token: "two" } };
    const more = { deployId: "dep_b", appConfigId: "acf_b" };
    expect(digestOf(chart, { sandbox }, more)).toBe(first);
  });
});
