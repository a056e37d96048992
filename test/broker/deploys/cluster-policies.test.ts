import { expect, test } from "vitest";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi({ env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" } });
const module = { type: "terraform_module", public_repo: { repo: "https://git.example.com/a.git" } };

test("policies of a cluster go to the sandbox that makes it, and to nothing else", async () => {
  const policy = {
    name: "labels",
    type: "kubernetes_cluster",
    contents: "kind: Policy # {{ x }}\n",
  };
  const { provision, ended, planned, applied } = await givenApplied(setup, {
    "metadata.toml": { name: "shop" },
    "sandbox.toml": { public_repo: module.public_repo },
    "policies.toml": { policy: [policy] },
    components: { "a.toml": { name: "a", ...module } },
  });
  expect((await ended(provision)).status.status).toBe("success");
  const handed = {
    policies: { "labels.yaml": policy.contents },
    kyverno_policies_dir: "kyverno-policies",
  };
  expect(planned.map(({ component }) => component)).toEqual(["", "a"]);
  expect([planned[0]?.plan, applied[0]?.plan]).toMatchObject([handed, handed]);
  expect(JSON.stringify([planned[1], applied[1]])).not.toContain("labels.yaml");
});
