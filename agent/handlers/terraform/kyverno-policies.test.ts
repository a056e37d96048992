import { expect, test } from "vitest";
import { readKyvernoPolicies } from "./kyverno-policies.ts";

const texts = { "a.yaml": "a: 1\n" };

test("policies are of a cluster where the plan names a folder for them", () => {
  expect(readKyvernoPolicies(undefined, texts)).toBeUndefined();
  expect(readKyvernoPolicies("", texts)).toBeUndefined();
  expect(readKyvernoPolicies("./kyverno-policies", texts)).toEqual({
    folder: "./kyverno-policies",
    files: [["a.yaml", "a: 1\n"]],
  });
});

test.each([
  "/etc",
  "..",
  "a/../b",
  "a//b",
  "-a",
  "a/",
  ".git",
  "a\0b",
  "a b",
  "a/".repeat(20) + "a",
])("no folder elsewhere is taken: %j", (folder) => {
  expect(() => readKyvernoPolicies(folder, texts)).toThrow("kyverno_policies_dir");
});

test.each(["../a.yaml", "a/b.yaml", "a", ".yaml", "a.tf", "-a.yaml", `${"a".repeat(200)}.yaml`])(
  "no name but that of a file of YAML is taken: %j",
  (name) => {
    expect(() => readKyvernoPolicies("k", { [name]: "a: 1\n" })).toThrow("policies has the name");
  },
);

test("more than there is room for is refused, and so is a list", () => {
  expect(() => readKyvernoPolicies("k", { "a.yaml": "é".repeat(2 ** 19 + 1) })).toThrow("bytes");
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`a${n}.yaml`, ""]));
  expect(() => readKyvernoPolicies("k", many)).toThrow("200 files");
  expect(() => readKyvernoPolicies("k", [{ name: "a", contents: "b" }])).toThrow("a list");
});
