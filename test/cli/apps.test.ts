import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

/** A copy of the example under a name of its own. */
async function givenFolder(name: string): Promise<string> {
  const folder = path.join(await testFolder(), name);
  await cp("examples/app", folder, { recursive: true });
  await writeFile(path.join(folder, "metadata.toml"), `name = "${name}"\n`);
  return folder;
}

describe("svc app sync", () => {
  test("creates the app, makes its config active, and shows what changed", async () => {
    const folder = await givenFolder("one");
    const dry = await cli.run(`app sync ${folder} --dry-run`);
    expect(dry).toMatchObject({ code: 0, out: "" });
    expect(dry.err).toBe("There is no app one yet: this would create it.\n");
    const first = await cli.run(`app sync ${folder}`);
    expect(first.code).toBe(0);
    expect(first.out).toContain("+ actions greet\n");
    expect(first.err).toMatch(/^one \(app_\w+\): version 1 is active\.\n$/);
    const again = await cli.run(`app sync ${folder}`);
    expect(again).toMatchObject({ code: 0, out: "", err: "one: version 1 is already active.\n" });
    const check = 'name = "check"\nsteps = [{ name = "check", command = "true" }]\n';
    await writeFile(path.join(folder, "actions/check.toml"), check);
    const change = "~ actions check (is_healthcheck, steps, timeout, triggers)\n";
    const preview = await cli.run(`app sync ${folder} --dry-run`);
    expect(preview).toMatchObject({
      code: 0,
      out: change,
      err: "one: 1 change, nothing is stored.\n",
    });
    expect(await cli.run(`app sync ${folder}`)).toMatchObject({ code: 0, out: change });
    expect((await cli.run("app diff one")).out).toBe(change);
    const component = 'name = "web"\ntype = "job"\nimage_url = "web"\ncmd = ["true"]\n';
    await mkdir(path.join(folder, "components"));
    await writeFile(path.join(folder, "components/web.toml"), component);
    const third = await cli.run(`app sync ${folder}`);
    expect(third.out).toBe("+ components web\n");
    expect(third.err).toContain("Its builds: svc build list --app one\n");
  });

  test("sends nothing that is wrong, and tells where it is", async () => {
    const folder = await givenFolder("two");
    await writeFile(path.join(folder, "metadata.toml"), 'name = "two"\nversion = "v9"\n');
    const { code, out, err } = await cli.run(`app sync ${folder}`);
    expect({ code, out }).toEqual({
      code: 1,
      out: 'metadata.toml:2:1: bad_value: version must be one of "", v1, v2; did you mean v1?\n',
    });
    expect(err).toContain("1 fault.\n");
    expect((await cli.run("app get two")).code).toBe(2);
  });
});

describe("svc app secret", () => {
  test("sets a value from standard input or a file, lists names, and deletes", async () => {
    const folder = await givenFolder("four");
    await cli.run(`app sync ${folder}`);
    const first = await cli.run("app secret set four license-key", "s3cret\n");
    expect(first).toMatchObject({
      code: 0,
      out: "",
      err: "four: the secret license-key is set.\n",
    });
    const file = path.join(folder, "value");
    await writeFile(file, "another one");
    const again = await cli.run(`app secret set four license_key --file ${file}`);
    expect(again.err).toBe("four: the secret license_key has a new value.\n");
    const listed = await cli.run("app secret list four");
    expect(listed.out).toMatch(/^ID +NAME +LENGTH +SET +AGE\nsec_\w+ +license_key +11 /);
    expect(await cli.run("app secret set four empty", "\n")).toMatchObject({ code: 2 });
    expect(await cli.run("app secret set four too many words", "x")).toMatchObject({ code: 2 });
    expect(await cli.run("app secret delete four license-key")).toMatchObject({ code: 2 });
    expect((await cli.run("app secret delete four license-key --yes")).code).toBe(0);
    expect((await cli.run("app secret delete four license-key --yes")).code).toBe(2);
    expect((await cli.run("app secret list four")).err).toContain("No secrets found.");
  });
});

describe("svc app", () => {
  test("lists, shows and deletes apps and their configs", async () => {
    await cli.run(`app sync ${await givenFolder("three")}`);
    const listed = await cli.run("app list --query thre");
    expect(listed.out).toMatch(/^ID +NAME +DISPLAY NAME +CONFIGS +AGE\napp_\w+ +three +- +1 /);
    const [shown, configs, config, whole] = await Promise.all([
      cli.run("app get three"),
      cli.run("app config list three"),
      cli.run("app config get three"),
      cli.run("app config get three --document -o json"),
    ]);
    expect(shown.out).toMatch(/^app +app_\w+\nname +three\nconfig +cfg_\w+ \(of 1\)\n/);
    expect(configs.out).toMatch(/^ID +VERSION +STATUS +CHECKSUM +AGE\ncfg_\w+ +1 +active +\w{12} /);
    expect(config.out).toMatch(/^config +cfg_\w+\napp +app_\w+\nversion +1\nstatus +active\n/);
    expect(JSON.parse(whole.out)).toMatchObject({ document: { metadata: { name: "three" } } });
    expect(await cli.run("app delete three")).toMatchObject({ code: 2 });
    expect(await cli.run("app delete three --yes")).toMatchObject({ code: 0 });
    expect((await cli.run("app get three")).code).toBe(2);
  });
});
