import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

type Told = {
  readonly valid: boolean;
  readonly checksum?: string;
  readonly errors: readonly { readonly code: string }[];
};

async function validated(folder: string): Promise<Told> {
  const { out } = await svc(["app", "validate", folder, "-o", "json"]);
  return JSON.parse(out) as Told;
}

describe("svc app validate", () => {
  test("says of the example that it is valid, without a broker", async () => {
    const shown = await svc(["app", "validate", "examples/app"]);
    expect(shown).toMatchObject({ code: 0, out: "" });
    expect(shown.err).toMatch(
      /^examples\/app: valid: 3 actions, 0 components, 0 runbooks\. Checksum \w{12}\.\n$/,
    );
    expect(await validated("examples/app")).toMatchObject({ valid: true, errors: [] });
  });

  test("says at once on what of a config this version does not act, also strictly, and passes", async () => {
    const shown = await svc(["app", "validate", "examples/apps/actions-and-runbooks", "--strict"]);
    expect(shown).toMatchObject({ code: 0, out: "" });
    expect(shown.err).toMatch(
      /^runbooks\/.+\.toml:1:1: not_deployed_yet: runbook .+: in this version never run \(notice\)$/m,
    );
    const app = "examples/apps/actions-and-runbooks";
    const { out } = await svc(["app", "validate", app, "-o", "json"]);
    expect(JSON.parse(out)).toMatchObject({
      valid: true,
      notices: [{ code: "not_deployed_yet" }],
    });
  });

  test("tells each fault with its file, line and column, and fails", async () => {
    const folder = path.join(await testFolder(), "app");
    await cp("examples/app", folder, { recursive: true });
    await writeFile(
      path.join(folder, "inputs.toml"),
      '[[input]]\nname = "greeting"\ntipe = "string"\n',
    );
    const shown = await svc(["app", "validate", folder]);
    expect(shown.code).toBe(1);
    const unknown = "tipe is not known here; did you mean type?";
    expect(shown.err).toContain(`inputs.toml:3:1: ignored_key: ${unknown} (warning)\n`);
    expect(shown.out).toContain(
      "actions/greet.toml:15:1: reference_unknown: AUDIENCE: .svc.inputs.inputs.audience: there is no input audience\n",
    );
    expect(shown.err).toMatch(/: 1 fault\.\n$/);
    const strict = await svc(["app", "validate", folder, "--strict"]);
    expect(strict.out).toContain(`inputs.toml:3:1: unknown_key: ${unknown}\n`);
    expect(strict.err).toMatch(/: 2 faults\.\n$/);
  });

  test("knows the brands that a flag or the profile names", async () => {
    const folder = path.join(await testFolder(), "app");
    await cp("examples/app", folder, { recursive: true });
    await writeFile(path.join(folder, "README.md"), "{{ .acme.install.id }}\n");
    await writeFile(path.join(folder, "metadata.toml"), 'name = "shop"\nreadme = "./README.md"\n');
    const home = await testFolder();
    await mkdir(path.join(home, "svc"));
    const profile = { url: "http://127.0.0.1:1", token: "t", brands: ["acme"] };
    const saved = { current: "a", profiles: { a: profile } };
    await writeFile(path.join(home, "svc", "config.json"), JSON.stringify(saved), { mode: 0o600 });
    const validate = async (flags: readonly string[], env = {}) =>
      (await svc(["app", "validate", folder, ...flags], { env })).err;
    expect(await validate([])).toContain("unknown_root: readme, line 1");
    expect(await validate(["--brand", "acme"])).not.toContain("unknown_root");
    expect(await validate([], { XDG_CONFIG_HOME: home })).not.toContain("unknown_root");
    expect(await validate(["--brand", "aws"])).toContain(
      "--brand: aws begins variables of other programs.",
    );
  });

  test("reads nothing outside of the directory", async () => {
    const outside = await testFolder();
    const folder = path.join(outside, "app");
    await mkdir(folder);
    await writeFile(path.join(outside, "secret.txt"), "swordfish");
    await symlink(path.join(outside, "secret.txt"), path.join(folder, "link.txt"));
    const texts = ["../secret.txt", "./link.txt", "./a/../../secret.txt"];
    for (const text of texts) {
      await writeFile(path.join(folder, "metadata.toml"), `name = "a"\nreadme = "${text}"\n`);
      expect((await validated(folder)).errors).toMatchObject([{ code: "outside_root", line: 2 }]);
    }
    await writeFile(path.join(folder, "metadata.toml"), 'name = "a"\nreadme = "./gone"\n');
    expect((await validated(folder)).errors).toMatchObject([{ code: "missing_file" }]);
    expect(await svc(["app", "validate", path.join(folder, "none")])).toMatchObject({ code: 2 });
  });
});

describe("svc app init", () => {
  test("writes an app that is valid, and nothing over what is there", async () => {
    const folder = path.join(await testFolder(), "My Shop");
    const made = await svc(["app", "init", folder]);
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toContain("metadata.toml\n");
    const shown = await svc(["app", "validate", folder]);
    expect(shown).toMatchObject({ code: 0, out: "" });
    expect(shown.err).not.toContain("warning");
    expect(await svc(["app", "init", folder])).toMatchObject({ code: 2 });
  });
});

describe("svc app schema", () => {
  test("is JSON Schema of a kind of file", async () => {
    const { out } = await svc(["app", "schema", "action"]);
    expect(JSON.parse(out)).toMatchObject({ type: "object", required: ["name", "steps"] });
    expect(await svc(["app", "schema", "nope"])).toMatchObject({ code: 2, out: "" });
  });
});
