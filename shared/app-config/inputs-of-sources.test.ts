import { expect, test } from "vitest";
import type { FolderEntry } from "../tar/pack-entries.ts";
import { checkConfigDocument } from "./check-config.ts";

/** Which inputs are said to be read by nothing, where the component's folder has these files. */
async function unusedWith(component: object, files: Readonly<Record<string, string>> = {}) {
  const entries = Object.entries(files).map(([name, text]): FolderEntry => ({
    name,
    kind: "file",
    isExecutable: false,
    target: "",
    bytes: Buffer.from(text),
  }));
  const document = {
    "metadata.toml": { name: "shop" },
    "inputs.toml": { input: [{ name: "greeting" }, { name: "first-size" }] },
    components: { "web.toml": { name: "web", type: "kubernetes_manifest", ...component } },
  };
  const beside = { readSources: async () => await Promise.resolve(entries) };
  const { errors, warnings } = await checkConfigDocument(document, {}, beside);
  expect(errors).toEqual([]);
  return warnings.map(({ pointer }) => pointer);
}

const kustomize = { path: "." };
const own = { directory: "web", kustomize };
const all = ["#/inputs.toml/input/0", "#/inputs.toml/input/1"];

test("inputs that a folder beside the config reads are not said to be unused", async () => {
  expect(await unusedWith(own, { "a.yaml": "a: 1" })).toEqual(all);
  const reads = { "a.yaml": 'text: "{{ .svc.inputs.inputs.greeting }}"' };
  expect(await unusedWith(own, reads)).toEqual(all.slice(1));
  const more = { ...reads, "b/c.yaml": "n: {{ .svc.install.inputs.first_size }}" };
  expect(await unusedWith(own, more)).toEqual([]);
  expect(await unusedWith(own, { "a.yaml": "{{ range .svc.inputs.inputs }}{{ end }}" })).toEqual(
    [],
  );
  // What nobody renders reads nothing.
  const module = { type: "terraform_module", directory: "web" };
  expect(await unusedWith(module, { ...more, "main.tf": "" })).toEqual(all);
});

test("where the sources are in a repository, nobody knows", async () => {
  const public_repo = { repo: "https://git.example.com/shop.git" };
  expect(await unusedWith({ public_repo, kustomize })).toEqual([]);
  expect(await unusedWith({ type: "terraform_module", public_repo })).toEqual(all);
});
