import { expect, test } from "vitest";
import { copyOrder } from "../../../agent/handlers/images/copy-order.ts";
import type { JsonObject } from "../../../shared/app-config/templates/json-value.ts";
import { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { deployedFacts } from "../../../test/support/deploys/planned-deploy.ts";
import { planImageCopy } from "./plan-image-copy.ts";

const digest = `sha256:${"a".repeat(64)}`;
const from = {
  server: "registry.test:5000",
  repository: "acme/shop",
  tag: "bld_a",
  digest,
  plainHttp: false,
};

function planned(sandbox: JsonObject, of: Partial<typeof from> = {}) {
  const { facts, values } = deployedFacts({ sandbox });
  const order = { facts, name: "web", componentId: "cmp_a", from: { ...from, ...of } };
  const copy = planImageCopy(order, values, new RenderWork());
  if (copy === null || "code" in copy) return copy;
  return { ...copy, plan: JSON.parse(copy.text) as Record<string, unknown> };
}

const ecr = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";
const gar = "europe-west1-docker.pkg.dev";

test.each([
  ["ECR", { ecr: { repository_url: `${ecr}/shop` } }, ecr, "shop"],
  ["ECR told apart", { ecr: { registry_url: ecr, repository_url: "shop" } }, ecr, "shop"],
  ["Artifact Registry", { gar: { repository_url: `https://${gar}/p/shop/` } }, gar, "p/shop/cmp_a"],
  ["Azure's", { acr: { login_server: "shop.azurecr.io" } }, "shop.azurecr.io", "cmp_a"],
  ["Azure's by its name", { acr: { name: "shop" } }, "shop.azurecr.io", "cmp_a"],
])(
  "%s: an image goes there by its digest, as the agent reads the plan",
  (_, sandbox, server, repository) => {
    const copy = planned(sandbox);
    expect(copy).toMatchObject({
      to: { server, repository },
      plan: { src_digest: digest, dst_tag: "bld_a" },
    });
    const order = copyOrder((copy as { readonly plan: Record<string, unknown> }).plan);
    expect(order.to?.shown).toContain(`${server}/${repository}`);
  },
);

test.each([
  ["the sandbox has made none", { url: "u" }, {}],
  ["it would stay at its server", { ecr: { repository_url: `${ecr}/another` } }, { server: ecr }],
  ["an output is no text", { ecr: { repository_url: { a: 1 } }, acr: {} }, {}],
])("no image is copied where %s", (_, sandbox, of) => {
  expect(planned(sandbox as JsonObject, of)).toBeNull();
});
