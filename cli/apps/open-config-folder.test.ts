import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConfigFolder } from "../../shared/app-config/check-config.ts";
import { appNameOf, openConfigFolder } from "./open-config-folder.ts";

let outside = "";
let repository = "";
beforeAll(async () => {
  outside = await mkdtemp(path.join(tmpdir(), "svc-"));
  repository = path.join(outside, "repository");
  await write("outside.sh", "outside");
  await write("repository/.git/config", "in git");
  await write("repository/shared/run.sh", "shared");
});
afterAll(async () => await rm(outside, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  const file = path.join(outside, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

const step = (text: string): string =>
  `name = "run"\n[[steps]]\nname = "s"\ninline_contents = "${text}"\n`;

const check = async (app: string) =>
  await checkConfigFolder(await openConfigFolder(path.join(repository, app)), {
    appName: await appNameOf(path.join(repository, app)),
  });

describe("a directory", () => {
  test("is read with all folders of its kinds, whatever they are called", async () => {
    await write("repository/My Shop/metadata.toml", "");
    await write("repository/My Shop/actions/x.toml/y/run.toml", step("./run.sh"));
    await write("repository/My Shop/actions/x.toml/y/run.sh", "run");
    await write("repository/My Shop/components/.terraform/a.toml", "nonsense");
    await write("repository/My Shop/components/api/node_modules/a.toml", "nonsense");
    await write("repository/My Shop/sources/deep/a.toml", "nonsense");
    const { errors, warnings, config } = await check("My Shop");
    expect([...errors, ...warnings]).toEqual([]);
    expect(config?.document.metadata.name).toBe("my-shop");
    expect(config?.document.actions?.[0]?.steps[0]?.inline_contents).toBe("run");
  });

  test("has links to what is in its repository, and to nothing else", async () => {
    const link = async (to: string) => {
      await write("repository/linked/metadata.toml", "");
      await write("repository/linked/actions/run.toml", step("./run.sh"));
      const file = path.join(repository, "linked/actions/run.sh");
      await rm(file, { force: true });
      await symlink(to, file);
      return await check("linked");
    };
    const inside = await link("../../shared/run.sh");
    expect(inside.config?.document.actions?.[0]?.steps[0]?.inline_contents).toBe("shared");
    for (const to of ["../../../outside.sh", path.join(outside, "outside.sh"), "../../.git/config"])
      expect((await link(to)).errors).toMatchObject([{ code: "outside_root", line: 4 }]);
  });

  test("has linked folders of its repository, each once, and no others", async () => {
    await write("repository/common/metadata.toml", "");
    await write("repository/pool/api/run.toml", step("./run.sh"));
    await write("repository/pool/api/run.sh", "pooled");
    await write("outside/run.toml", step("echo"));
    const link = async (name: string, to: string) => {
      const at = path.join(repository, "common", name);
      await mkdir(path.dirname(at), { recursive: true });
      await symlink(to, at);
    };
    await link("actions/pool", "../../pool");
    await link("actions/again", "../../pool/api");
    await link("../pool/api/circle", "../../pool");
    await link("docs", "../../outside");
    const { config, errors } = await check("common");
    expect(errors).toEqual([]);
    expect(config?.document.actions?.map((one) => one.steps[0]?.inline_contents)).toEqual([
      "pooled",
    ]);
    await link("actions/outside", "../../../outside");
    await link("components", "../.git");
    expect((await check("common")).errors).toMatchObject([
      { file: "actions/outside", code: "outside_root" },
      { file: "components", code: "outside_root", detail: "is in .git" },
    ]);
  });

  test("has no text where a folder stands in its place, and looks for it elsewhere", async () => {
    await write("repository/folders/metadata.toml", 'readme = "./docs"\n');
    await write("repository/folders/docs/a.md", "a");
    const manifest = 'type = "kubernetes_manifest"\nname = "m"\nmanifest = "./values"\n';
    await write("repository/folders/components/m.toml", manifest);
    await write("repository/folders/components/values/a.yaml", "a: 1");
    await write("repository/folders/values", "b: 1");
    const { errors, files } = await check("folders");
    expect(errors).toMatchObject([
      { code: "missing_file", file: "metadata.toml", line: 1, detail: "./docs is not there" },
    ]);
    expect(files).toContain("values");
  });
});
