import { expect, test } from "vitest";
import { checkConfigDocument } from "../app-config/check-config.ts";

const faultsOf = async (contents: readonly string[]) => {
  const policy = contents.map((text, nth) => ({
    name: `p${nth}`,
    type: "kubernetes_cluster",
    contents: text,
  }));
  const document = { "metadata.toml": { name: "shop" }, "policies.toml": { policy } };
  const { errors } = await checkConfigDocument(document);
  return errors.map(({ code, detail }) => `${code}: ${detail}`);
};

test("policies of a cluster that no plan takes are told when the config is checked, once", async () => {
  const half = "ä".repeat(2 ** 18);
  expect(await faultsOf([half, half])).toEqual([]);
  expect(await faultsOf([half, half, "a", "b"])).toEqual([
    "bad_value: policies of kubernetes_cluster have at most 1048576 bytes together: with this one they have more",
  ]);
});
