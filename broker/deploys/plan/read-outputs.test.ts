import { expect, test } from "vitest";
import { deployedFacts, orderOf } from "../../../test/support/deploys/planned-deploy.ts";
import { givenRenderer } from "../../../test/support/installs/given-renderer.ts";
import { storedOf } from "../../../test/support/installs/state-facts.ts";
import type { ComponentConfigPart } from "../deploy-order.ts";

const chart = (more: object = {}): ComponentConfigPart => ({
  type: "helm_chart",
  name: "web",
  chart_name: "web",
  ...more,
});
const outputs = {
  "component:db": { url: "u" },
  "component:cache": { url: "c" },
  "sandbox:": { cluster: { name: "k", endpoint: "https://k.test" } },
};

/** The plan of this, and whose outputs were read for it. */
async function planned(
  part: ComponentConfigPart,
  stored: Parameters<typeof storedOf>[0] = { outputs },
) {
  const { facts } = deployedFacts({
    components: { db: {}, cache: {} },
    sandbox: {},
    install: { cloud_platform: "aws", cloud_account: { region: "eu-west-1" } } as never,
  });
  const { values, read } = storedOf(stored);
  const { render, asked } = givenRenderer();
  const given = orderOf(part, facts);
  const made = await render({ orgId: "org_a", name: "deploy", given, values });
  return { made, read, asked };
}

test("a plan of a deploy reads the outputs that it needs, and no others", async () => {
  const { made, read, asked } = await planned(
    chart({ values: { url: "{{ .svc.components.db.outputs.url }}" } }),
  );
  expect({ read, asked }).toEqual({
    read: expect.arrayContaining(["component:db", "sandbox:"]) as unknown,
    asked: [],
  });
  expect(read).toHaveLength(2);
  expect("text" in made && JSON.parse(made.text)).toMatchObject({
    helm: {
      values: [{ name: "url", value: "u", type: "string" }],
      cluster_info: { id: "k", endpoint: "https://k.test", cloud: "aws", region: "eu-west-1" },
    },
  });
});

test("a long plan of a deploy is made by a child", async () => {
  const { made, asked } = await planned(
    chart({ values_file: [{ contents: `# ${"x".repeat(400_000)}\na: {{ .svc.id }}` }] }),
  );
  expect(asked).toContain("deploy");
  expect("text" in made ? made.text.length > 400_000 : made).toBe(true);
});
