import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { configMap, givenManifests, manifestOf } from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

type Case<T> = readonly [what: string, given: T, of: string, words: RegExp];

const object = (members: object): string => JSON.stringify({ metadata: { name: "x" }, ...members });
const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
for (const [at, name] of [..."bcdefghi"].entries()) {
  const of = [..."abcdefgh"][at] ?? "";
  bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(",")}]`);
}
const bombed = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n${bomb.join("\n")}\n`;

describeWithTools(clusterTools, "a manifest that cannot be applied", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  const manifests: readonly Case<string>[] = [
    [
      "a key twice",
      `${configMap("a", {})}\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: b}\nkind: Secret\n`,
      "config_invalid",
      /manifest, document 2, line 6: an object has a duplicate key/,
    ],
    ["an alias bomb", bombed, "config_invalid", /document 1, line 1: its aliases expand/],
    [
      "an unknown kind",
      manifestOf(configMap("a", {}), object({ apiVersion: "v1", kind: "Nonsense" })),
      "config_invalid",
      /document 2, line 3: the cluster knows no Nonsense of v1/,
    ],
    [
      "an unknown group",
      object({ apiVersion: "none.example/v1", kind: "Widget" }),
      "config_invalid",
      /line 1: the cluster knows no Widget of none\.example\/v1/,
    ],
    [
      "a namespace that is not there",
      object({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "x", namespace: "nowhere" },
      }),
      "not_found",
      /document 1, line 1: its namespace nowhere does not exist/,
    ],
    [
      "a namespace where there can be none",
      object({ apiVersion: "v1", kind: "Namespace", metadata: { name: "x", namespace: "y" } }),
      "config_invalid",
      /its kind is not namespaced/,
    ],
    [
      "one object twice",
      manifestOf(configMap("a", {}), configMap("a", {})),
      "config_invalid",
      /document 2, line 3: ConfigMap .*a is already defined: manifest, document 1, line 1/,
    ],
    [
      "a member that its kind has not",
      object({ apiVersion: "v1", kind: "ConfigMap", dta: {} }),
      "config_invalid",
      /ConfigMap .*x \(manifest, document 1, line 1\).*dta/,
    ],
    [
      "a value that its kind does not allow",
      object({ apiVersion: "v1", kind: "Service", spec: { ports: [{ port: 99_999 }] } }),
      "config_invalid",
      /Service .*x .*spec\.ports\[0\]\.port/,
    ],
    ["text", "words", "config_invalid", /document 1, line 1: it is not an object/],
    [
      "no name",
      object({ apiVersion: "v1", kind: "ConfigMap", metadata: {} }),
      "config_invalid",
      /name is missing/,
    ],
  ];

  test("is one failed job that names the place", async () => {
    const { deploy, names } = await givenManifests(fleet);
    for (const [what, manifest, of, words] of manifests) {
      const ended = await deploy("exec", { manifest });
      const { status, description, result } = ended;
      const [why, composite] = [result?.error_metadata, result?.composite_error];
      expect({ what, status, description, why, composite }).toMatchObject({
        what,
        status: "failed",
        description: expect.stringMatching(words) as string,
        why: { reason: "deploy_failed", class: of },
        composite: { type: `deploy.${of}`, detail: expect.stringMatching(words) as string },
      });
    }
    expect(await names("configmap")).toEqual([]);
  });

  const clusters: readonly Case<object>[] = [
    [
      "nobody at its address",
      { endpoint: "https://127.0.0.1:1", token: "t-1" },
      "network",
      /does not answer.*ECONNREFUSED/,
    ],
    [
      "no kubeconfig that is one",
      { kube_config: "a: [" },
      "config_invalid",
      /kubeconfig cannot be used: document 1/,
    ],
    [
      "a context that is not there",
      { kube_config: '{"current-context":"x","clusters":[],"contexts":[]}' },
      "config_invalid",
      /there is no context x/,
    ],
  ];

  test("for want of a cluster says so", async () => {
    const { deploy } = await givenManifests(fleet);
    for (const [what, cluster_info, of, words] of clusters) {
      const ended = await deploy("exec", { cluster_info, manifest: configMap("a", {}) });
      const { description, result } = ended;
      expect({ what, description, why: result?.error_metadata }).toMatchObject({
        what,
        description: expect.stringMatching(words) as string,
        why: { class: of },
      });
    }
  });
});
