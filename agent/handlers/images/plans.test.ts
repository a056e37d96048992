import { describe, expect, test } from "vitest";
import { copyOrder } from "./copy-order.ts";
import { pullOrder } from "./pull-order.ts";

const plan = {
  src_registry: { loginServer: "a.example", repository: "app" },
  src_tag: "one",
  dst_registry: { loginServer: "b.example", repository: "app" },
  dst_tag: "v1",
};
const registry = { loginServer: "b.example", repository: "app" };

describe("the plan of a copy", () => {
  test("names both places, and by a digest what is copied", () => {
    const src_digest = `sha256:${"0".repeat(64)}`;
    expect(copyOrder({ ...plan, src_digest })).toMatchObject({
      order: { kind: "copy", tag: "v1" },
      from: { reference: { origin: "https://a.example", digest: src_digest } },
      to: { reference: { origin: "https://b.example", tag: "v1" } },
      failed: `a.example/app:one@${src_digest} cannot be copied to b.example/app:v1`,
    });
  });

  test.each([
    ["src_registry is missing", { src_registry: null }],
    ["dst_registry is missing", { dst_registry: null }],
    ["dst_tag is missing", { dst_tag: "" }],
    ["a tag or a digest is required", { src_tag: "" }],
    ["src_tag: must be a string", { src_tag: 7 }],
    [
      "dst_registry: its repository is invalid",
      { dst_registry: { ...registry, repository: "A b" } },
    ],
    [
      "dst_registry.ecrauth names no identity",
      {
        dst_registry: {
          ...registry,
          loginServer: "123456789012.dkr.ecr.eu-central-1.amazonaws.com",
          ecrauth: { region: "eu-central-1" },
        },
      },
    ],
  ])("is refused: %s", (words, more) => {
    expect(() => copyOrder({ ...plan, ...more })).toThrow(words);
  });
});

describe("the plan of an image of somebody else", () => {
  const pull = (container_image_pull_plan: object) =>
    pullOrder({ container_image_pull_plan, dst_registry: registry, dst_tag: "b1" });

  test.each<[object, string]>([
    [{ image: "nginx" }, "registry-1.docker.io/library/nginx:latest"],
    [
      {
        image: "nginx",
        tag: "",
        repo_config: {
          loginServer: "docker.io",
          repository: "library/nginx",
          registryType: "public_oci",
        },
      },
      "registry-1.docker.io/library/nginx:latest",
    ],
    [{ image: "nginx:1.27" }, "registry-1.docker.io/library/nginx:1.27"],
    [{ image: "ghcr.io/acme/app", tag: "v1" }, "ghcr.io/acme/app:v1"],
    [
      { image: "acme/app", tag: "v1", repo_config: { loginServer: "r.example" } },
      "r.example/acme/app:v1",
    ],
    [
      { repo_config: { loginServer: "r.example", repository: "a/b" }, tag: "v1" },
      "r.example/a/b:v1",
    ],
  ])("%j means %s", (given, shown) => {
    expect(pull(given).from.shown).toBe(shown);
  });

  test("follows tags by its policy, and says so when it cannot be read", () => {
    const given = { image: "ghcr.io/acme/app:v1", previous_source_digest: "sha256:1" };
    expect(pull({ ...given, update_policy: "~1.2" }).order).toEqual({
      kind: "pull",
      tag: "b1",
      policy: "~1.2",
      previous: "sha256:1",
    });
    expect(() => pull({ ...given, update_policy: "often" })).toThrow(
      "update_policy must be newest, or a range of versions like ^1.2",
    );
    expect(() => pullOrder({})).toThrow("container_image_pull_plan is missing");
  });
});
