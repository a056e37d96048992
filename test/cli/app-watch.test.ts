import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { startCommandLine } from "../support/programs/command-line.ts";
import { startSvc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

const action = (command: string, name = "greet") =>
  `name = "${name}"\nsteps = [{ name = "greet", command = "${command}" }]\n`;
const metadata = 'name = "watched"\nreadme = "./readme.md"\n';

async function givenFolder(): Promise<string> {
  const folder = await testFolder();
  await writeFile(path.join(folder, "metadata.toml"), metadata);
  await writeFile(path.join(folder, "readme.md"), "Hello\n");
  return folder;
}

describe("svc app sync --watch", () => {
  test("syncs again after each change, tells of each, goes on after errors, and ends by Ctrl-C", async () => {
    const cli = await startCommandLine();
    const folder = await givenFolder();
    const watch = startSvc(["app", "sync", folder, "--watch"], {
      env: { SVC_URL: cli.url, SVC_TOKEN: cli.token },
    });
    const { said } = watch;
    const told = async (words: string) => {
      await expect.poll(() => said.out + said.err).toContain(words);
    };
    const write = async (name: string, text: string) =>
      await writeFile(path.join(folder, name), text);
    await told(": version 1 is active.\n");
    await write("readme.md", "Hello again\n");
    await told(": version 2 is active.\n");
    expect(said.out).toContain("~ metadata (readme)\n");
    await write("metadata.toml", 'nam = "watched"\nreadme = "./gone.md"\n');
    await told("metadata.toml:1:1: unknown_key: ");
    await told("metadata.toml:2:1: missing_file: ");
    await write("metadata.toml", metadata);
    await told("watched: version 2 is already active.\n");
    await write("new.tmp", 'name = "watched"\n'); // as editors save
    await rename(path.join(folder, "new.tmp"), path.join(folder, "metadata.toml"));
    await told(": version 3 is active.\n");
    watch.kill("SIGINT");
    const { code, err } = await watch.ended;
    expect(code).toBe(130);
    expect(err.split("\n").at(-2)).toBe(`Stopped watching ${folder}.`);
    const { out } = await cli.run("app config list watched -o ndjson");
    expect(out.trim().split("\n")).toHaveLength(3);
  });

  test("asks a broker that is away again, and waits for a folder that is not there", async () => {
    const folder = path.join(await testFolder(), "none");
    const { token } = await startCommandLine();
    const env = { SVC_URL: "http://127.0.0.1:9", SVC_TOKEN: token };
    const watch = startSvc(["app", "sync", folder, "--watch"], { env });
    await expect.poll(() => watch.said.err).toContain("There is no folder ");
    await rename(await givenFolder(), folder);
    const asked = () => watch.said.err.split("No broker responds at").length - 1;
    await expect.poll(asked).toBeGreaterThan(1);
    watch.kill("SIGINT");
    expect((await watch.ended).code).toBe(130);
  });

  test("makes one sync of many changes", async () => {
    const cli = await startCommandLine();
    const folder = await givenFolder();
    const watch = startSvc(["app", "sync", folder, "--watch"], {
      env: { SVC_URL: cli.url, SVC_TOKEN: cli.token },
    });
    await expect.poll(() => watch.said.err).toContain("Watching ");
    for (let nth = 0; nth < 50; nth++)
      await writeFile(path.join(folder, "readme.md"), `Hello ${nth}\n${action("true")}`);
    await expect.poll(() => watch.said.err).toContain("version 2 is active.");
    watch.kill("SIGINT");
    expect((await watch.ended).err).not.toContain("version 3");
  });
});
