import { describe, expect, test } from "vitest";
import { planBuild } from "./build-plan.ts";
import type { ComponentPart } from "./component-part.ts";

const repo = { repo: "acme/shop", directory: "{{ .svc.app.name }}", branch: "main" };

const plan = (component: ComponentPart, brands: string[] = []) =>
  planBuild({
    org: { id: "org_1", name: "acme" },
    app: { id: "app_1", name: "shop" },
    part: { component },
    build: { id: "bld_1", component_id: "cmp_1", git_ref: "", is_forced: false },
    registry: { server: "registry.example.com", prefix: "", isPlain: false, auth: "none" },
    labels: { tier: "web" },
    secrets: [{ name: "npm_token" }],
    brands,
    former: undefined,
  });

test("a source is of its repository and folder, with what is known of org and app", () => {
  expect(plan({ name: "db", type: "terraform_module", public_repo: repo })).toEqual({
    type: "terraform-module-build",
    checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    secrets: [],
    plan: {
      component_id: "cmp_1",
      component_build_id: "bld_1",
      git_source: { url: "https://github.com/acme/shop", ref: "main", path: "shop" },
      terraform_build_plan: { labels: { tier: "web" } },
      dst_registry: {
        registryType: "private_oci",
        loginServer: "registry.example.com",
        repository: "org_1/app_1/cmp_1",
      },
      dst_tag: "bld_1",
    },
  });
});

test("what is of an install cannot be built with, also where a template would do without it", () => {
  const reads = ["{{ .svc.inputs.inputs.v }}", '{{ .svc.install.name | default "1" }}'];
  for (const VERSION of [...reads, "{{ .acme.app.variables.key }}"])
    expect(
      plan({ name: "api", type: "docker_build", public_repo: repo, build_args: { VERSION } }, [
        "acme",
      ]),
    ).toMatchObject({ code: "missing_value", retryable: false });
  const manifest = "{{ .svc.inputs.inputs.v }}"; // is left as it is
  const kept = plan({ name: "web", type: "kubernetes_manifest", manifest });
  expect(kept).toMatchObject({
    plan: { kubernetes_manifest_build_plan: { source_type: "inline", inline_manifest: manifest } },
  });
});

test.each([
  ["redis", "docker.io", "library/redis"],
  ["acme/api", "docker.io", "acme/api"],
  ["ghcr.io/acme/api", "ghcr.io", "acme/api"],
  ["localhost:5000/api", "localhost:5000", "api"],
])("the image %s is of %s", (image_url, loginServer, repository) => {
  expect(
    plan({ name: "i", type: "container_image", public: { image_url, tag: "1" } }),
  ).toMatchObject({
    type: "container-image-build",
    plan: { container_image_pull_plan: { tag: "1", repo_config: { loginServer, repository } } },
  });
});

test("without a repository there is nothing to build from, but for charts of a repository of charts", () => {
  expect(plan({ name: "db", type: "terraform_module" })).toMatchObject({
    code: "repo_unsupported",
  });
  const helm_repo = { repo_url: "https://charts.example.com", chart: "web", version: "1.2.3" };
  const chart = plan({ name: "web", type: "helm_chart", chart_name: "web", helm_repo });
  expect(chart).toMatchObject({
    plan: { helm_build_plan: { helmRepoConfig: { chart: "web", version: "1.2.3" } } },
  });
});

test("secrets of a build are those of the app, and no part of what it is known by", () => {
  const image = { name: "api", type: "docker_build", public_repo: repo } as const;
  const without = plan(image);
  const known = plan({ ...image, secrets: ["npm-token"] });
  expect(known).toMatchObject({ secrets: ["npm-token"] });
  expect({ ...known, secrets: [] }).toEqual(without);
  expect(plan({ ...image, secrets: ["npm-token", "other"] })).toMatchObject({
    code: "missing_value",
    detail: expect.stringContaining("the app secret other, which the app does not have") as string,
  });
});

describe("an image of Azure's registries", () => {
  const of = { image_url: "reports", tag: "1", registry_url: "https://acme.azurecr.io" };
  const identityOf = (more: object) => {
    const made = plan({ name: "i", type: "container_image", azure_acr: { ...of, ...more } });
    if (!("plan" in made)) return made;
    const { repo_config: repo } = made.plan["container_image_pull_plan"] as Readonly<
      Record<"repo_config", { readonly acrauth: object }>
    >;
    return { acrauth: repo.acrauth, secrets: made.secrets };
  };

  test("is read by the application that it names, else by the runner's own identity", () => {
    expect(identityOf({ tenant_id: "t", client_id: "c" })).toEqual({
      acrauth: { tenant_id: "t", client_id: "c" },
      secrets: [],
    });
    expect(identityOf({})).toMatchObject({ acrauth: { use_default: true } });
    expect(identityOf({ client_id: "c" })).toMatchObject({
      acrauth: { client_id: "c", use_default: true },
    });
  });

  test("has its application's secret from the app, which no plan is known by, and never a certificate", () => {
    const whole = { tenant_id: "t", client_id: "c" };
    expect(identityOf({ ...whole, client_secret_name: "npm-token" })).toEqual({
      acrauth: whole,
      secrets: ["npm-token"],
    });
    expect(identityOf({ ...whole, client_secret_name: "other" })).toMatchObject({
      code: "missing_value",
      detail: expect.stringContaining("the app secret other, which the app") as string,
    });
    expect(identityOf({ ...whole, client_certificate_name: "npm-token" })).toMatchObject({
      code: "repo_unsupported",
      detail: expect.stringContaining("client_secret_name in its place") as string,
    });
  });
});
