import { describe, expect, test } from "vitest";
import { readsWithArtifacts } from "./reads-with-artifacts.ts";

const reads = {
  order: ["api", "db", "web"],
  needs: { web: ["api"] },
  inputs: { web: ["size"] },
};

function part(name: string, references: readonly string[] = [], var_name?: string) {
  const component = { type: "job", name, image_url: "i", ...(var_name && { var_name }) } as const;
  const wanted = { configId: "acf_a", part: { component }, checksum: "" };
  const artifact = { references };
  const newest = { id: `bld_${name}`, status: "active", app_config_id: "acf_a", artifact };
  return { name, wanted, newest, deployed: undefined };
}

describe("what a config reads", () => {
  test("is the same where no artifact has templates", () => {
    expect(readsWithArtifacts(reads, [part("api"), part("db")])).toBe(reads);
  });

  test("has what artifacts read: components that come before, by each of their names, and inputs", () => {
    const paths = ["components.my_db.outputs.url", "inputs.inputs.level", "install.inputs"];
    const parts = [part("api", paths), part("db", [], "my-db"), part("web")];
    expect(readsWithArtifacts(reads, parts)).toEqual({
      order: ["db", "api", "web"],
      needs: { api: ["db"], web: ["api"] },
      inputs: { api: ["level", "*"], web: ["size"] },
    });
  });

  test("has no circles by that", () => {
    const parts = [
      part("api", ["components.web.outputs", "components.db.outputs", "components.api.status"]),
      part("db", ["components.api.outputs"]),
      part("web"),
    ];
    expect(readsWithArtifacts(reads, parts)).toEqual({
      ...reads,
      order: ["db", "api", "web"],
      needs: { api: ["db"], web: ["api"] },
    });
  });
});
