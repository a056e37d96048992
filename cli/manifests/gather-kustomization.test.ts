import { execFileSync } from "node:child_process";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/support/run/folder.ts";
import { gatherKustomization } from "./gather-kustomization.ts";

async function writeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await testFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.join(folder, path.dirname(name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

async function filesIn(archive: string): Promise<string[]> {
  const folder = await testFolder();
  execFileSync("tar", ["-xz", "-C", folder], { input: Buffer.from(archive, "base64") });
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile());
  return files.map((one) => path.relative(folder, path.join(one.parentPath, one.name))).sort();
}

const rootOnly = { loadsAnywhere: false };
const anywhere = { loadsAnywhere: true };

test("an overlay is sent whole, and of its bases what they name, and nothing else", async () => {
  const folder = await writeFiles({
    "apps/web/overlays/prod/kustomization.yaml":
      "resources: [../../base, https://example.com/x]\npatches: [{path: patch.yaml}]\n",
    "apps/web/overlays/prod/patch.yaml": "a: 1\n",
    "apps/web/overlays/test/kustomization.yaml": "resources: [../../base]\n",
    "apps/web/base/kustomization.yml": `resources: [deep/web.yaml, none.yaml]
components: [../../../components/log]
configMapGenerator: [{name: c, files: [key=app.conf], envs: [app.env]}]
generators: [generator.yaml]
transformers: ["kind: PatchTransformer\\npath: inline.yaml\\n"]
helmCharts: [{name: db, valuesFile: db.yaml}]
`,
    "apps/web/base/deep/web.yaml": "",
    "apps/web/base/app.conf": "",
    "apps/web/base/app.env": "",
    "apps/web/base/generator.yaml": "kind: ConfigMapGenerator\nfiles: [made.txt]\n",
    "apps/web/base/made.txt": "",
    "apps/web/base/inline.yaml": "",
    "apps/web/base/db.yaml": "",
    "apps/web/base/charts/db/Chart.yaml": "",
    "apps/web/base/.env": "TOKEN=swordfish",
    "apps/web/base/terraform.tfstate": "{}",
    "components/log/kustomization.yaml": "resources: [x.yaml]\n",
    "components/log/x.yaml": "",
    "components/log/secret.txt": "text",
    "apps/secret.txt": "text",
  });
  const gathered = await gatherKustomization(path.join(folder, "apps/web/overlays/prod"), rootOnly);
  expect(gathered.path).toBe("apps/web/overlays/prod");
  expect(await filesIn(gathered.source.archive)).toEqual([
    "apps/web/base/app.conf",
    "apps/web/base/app.env",
    "apps/web/base/charts/db/Chart.yaml",
    "apps/web/base/db.yaml",
    "apps/web/base/deep/web.yaml",
    "apps/web/base/generator.yaml",
    "apps/web/base/inline.yaml",
    "apps/web/base/kustomization.yml",
    "apps/web/base/made.txt",
    "apps/web/overlays/prod/kustomization.yaml",
    "apps/web/overlays/prod/patch.yaml",
    "components/log/kustomization.yaml",
    "components/log/x.yaml",
  ]);
});

test.each([
  ["a generator's file", "configMapGenerator: [{name: c, files: [../../.kube/config]}]"],
  ["a generator's file with a key", "secretGenerator: [{name: c, files: [k=../../.kube/config]}]"],
  ["a generator's variables", "configMapGenerator: [{name: c, envs: [../../.kube/config]}]"],
  ["a resource", "resources: [../../.kube/config]"],
  ["a patch", "patches: [{path: ../../.kube/config}]"],
  ["what a transformer reads", 'transformers: ["kind: X\\npath: ../../.kube/config\\n"]'],
  ["a transformer", "transformers: [../../.kube/config]"],
  ["a chart's values", "helmCharts: [{name: db, additionalValuesFiles: [../../.kube/config]}]"],
  ["a symbolic link", "resources: [link.yaml]"],
  ["a base's file", "resources: [../base]"],
])(
  "%s outside of its own kustomization is sent only where kustomize may load it",
  async (_, text) => {
    const folder = await writeFiles({
      ".kube/config": "swordfish",
      "repo/app/kustomization.yaml": text,
      "repo/base/kustomization.yaml": "resources: [link.yaml]",
    });
    await symlink("../../.kube/config", path.join(folder, "repo/app/link.yaml"));
    await symlink("../../.kube/config", path.join(folder, "repo/base/link.yaml"));
    const app = path.join(folder, "repo/app");
    const refusal = await gatherKustomization(app, rootOnly).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(
        /^The kustomization in \/.*repo\/(?:app|base) names the file .+, which is outside/,
      ) as string,
      hint: expect.stringContaining("--load-restrictor LoadRestrictionsNone") as string,
    });
    expect(String(refusal)).not.toContain("swordfish");
    if (text.includes("base")) return; // there, the other folder's link has nowhere to lead
    const { source } = await gatherKustomization(app, anywhere);
    expect(await filesIn(source.archive)).toContain(".kube/config");
  },
);

test("a base that holds the kustomization itself is refused, as kustomize does", async () => {
  const folder = await writeFiles({
    "kustomization.yaml": "resources: []",
    ".env": "TOKEN=swordfish",
    "k8s/app/kustomization.yaml": "resources: [../..]",
    "k8s/other/kustomization.yaml": "resources: [../base]",
    "k8s/base/kustomization.yaml": "resources: [../other]",
  });
  for (const app of ["k8s/app", "k8s/other"]) {
    await expect(gatherKustomization(path.join(folder, app), anywhere)).rejects.toThrow(
      /names \.\.\/(?:\.\.|other) as a base, which holds .+ itself/,
    );
  }
});

test("a base through a symbolic link outside of the folder is refused", async () => {
  const folder = await writeFiles({
    "app/kustomization.yaml": "resources: [../link]",
    "elsewhere/base/kustomization.yaml": "resources: []",
  });
  await symlink("elsewhere/base", path.join(folder, "link"));
  await expect(gatherKustomization(path.join(folder, "app"), rootOnly)).rejects.toThrow(
    /through a symbolic link/,
  );
});

test("what a kustomization only speaks of stays where it is", async () => {
  const folder = await writeFiles({
    "app/a.yaml": "",
    "secret.txt": "swordfish",
    "secrets/key": "swordfish",
  });
  const text = `resources: [a.yaml, "..", ../secrets, "${folder}/secret.txt"]
configMapGenerator:
- name: c
  literals: ["FILE=../secret.txt", "HOME=${folder}/secrets"]
commonAnnotations: {see: ../secret.txt, path: ../secret.txt}
helmCharts:
- name: db
  valuesInline: {path: ../secret.txt, files: [../secret.txt]}
`;
  await writeFile(path.join(folder, "app", "kustomization.yaml"), text);
  for (const rules of [rootOnly, anywhere]) {
    const { source } = await gatherKustomization(path.join(folder, "app"), rules);
    expect(await filesIn(source.archive)).toEqual(["app/a.yaml", "app/kustomization.yaml"]);
  }
});

test("one by itself is sent as its folder", async () => {
  const folder = await writeFiles({
    "app/kustomization.yaml": "resources: [a.yaml]\n",
    "app/a.yaml": "",
  });
  const gathered = await gatherKustomization(path.join(folder, "app"), rootOnly);
  expect(gathered.path).toBe("app");
  expect(await filesIn(gathered.source.archive)).toEqual(["app/a.yaml", "app/kustomization.yaml"]);
  await expect(gatherKustomization(folder, rootOnly)).rejects.toThrow(/is no kustomization/);
});
