import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenRunner } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

/** A person's folder of settings, two tokens of two orgs, and commands run with nothing but that folder. */
async function setup() {
  const home = await testFolder();
  const file = path.join(home, "svc", "config.json");
  const other = await givenRunner(cli.db);
  const otherToken = await givenToken(cli.db, { orgId: other.orgId });
  const run = async (line: string, env: Readonly<Record<string, string>> = {}) =>
    await svc(line.split(" "), { env: { XDG_CONFIG_HOME: home, ...env } });
  const logIn = async (name: string, token: string) => {
    const words = ["auth", "login", "--url", cli.url, "--token-file", "-", "--profile", name];
    return await svc(words, { env: { XDG_CONFIG_HOME: home }, input: token });
  };
  const orgOf = async (words: string, env: Readonly<Record<string, string>> = {}) =>
    (await run(`org get -o name${words}`, env)).out.trim();
  return { home, file, other, otherToken, run, logIn, orgOf };
}

describe("svc profile", () => {
  test("keeps several brokers and orgs, of which commands use one", async () => {
    const { file, other, otherToken, run, logIn, orgOf } = await setup();
    expect((await logIn("one", cli.token)).err).toContain(`Saved as profile one in ${file}`);
    expect(await logIn("two", otherToken)).toMatchObject({ code: 0, out: "" });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await orgOf("")).toBe(other.orgId);
    expect(await orgOf(" --profile one")).toBe(cli.runner.orgId);
    expect(await orgOf("", { SVC_PROFILE: "one" })).toBe(cli.runner.orgId);
    expect(await orgOf(" --profile two", { SVC_PROFILE: "one" })).toBe(other.orgId);
    const listed = await run("profile list");
    expect(listed.out).toMatch(
      /^NAME +USED +URL +ORG +RUNNER +BRANDS\none +- +http.+\ntwo +yes +http.+\n$/,
    );
    expect(listed.out + (await run("profile list -o json")).out).not.toContain("svc_");
    expect((await run("profile use one")).err).toBe("Later commands use the profile one.\n");
    expect(await orgOf("")).toBe(cli.runner.orgId);
    const told = await run("profile use two", { SVC_PROFILE: "one" });
    expect(told.err).toContain("SVC_PROFILE is one");
  });

  test("keeps the brands of its broker, also when somebody signs in again", async () => {
    const { run, logIn } = await setup();
    await logIn("one", cli.token);
    const branded = async () => (await run("profile list")).out.includes("acme,beta");
    expect((await run("profile update one --brand aws")).err).toContain("--brand: aws begins");
    expect((await run("profile update one --brand acme,beta")).code).toBe(0);
    expect(await branded()).toBe(true);
    await logIn("one", cli.token);
    expect(await branded()).toBe(true);
    await run("profile update one --brand=");
    expect(await branded()).toBe(false);
  });

  test("comes before the environment where a flag names it, after it where not", async () => {
    const { other, otherToken, logIn, orgOf } = await setup();
    await logIn("one", cli.token);
    const env = { SVC_URL: cli.url, SVC_TOKEN: otherToken };
    expect(await orgOf("", env)).toBe(other.orgId);
    expect(await orgOf("", { ...env, SVC_PROFILE: "one" })).toBe(other.orgId);
    expect(await orgOf(" --profile one", env)).toBe(cli.runner.orgId);
  });

  test("has a runner for commands that name none", async () => {
    const { run, logIn } = await setup();
    await logIn("one", cli.token);
    const none = await run("job create --type noop");
    expect(none).toMatchObject({ code: 2, out: "" });
    expect(none.err).toMatch(/^The flag --runner is required: /);
    const { runnerId } = cli.runner;
    expect(await run(`profile update one --runner ${runnerId}`)).toMatchObject({ code: 0 });
    expect((await run("job create --type noop")).out).toContain(runnerId);
    expect((await run("runner get -o name")).out).toBe(`${runnerId}\n`);
    const mine = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
    expect(await run("runner get", mine)).toMatchObject({ code: 2 });
  });

  test("is renamed and deleted; one that is not there is told with those that are", async () => {
    const { run, logIn, otherToken } = await setup();
    await logIn("one", cli.token);
    await logIn("two", otherToken);
    await run("profile update two --name three");
    const words = 'There is no profile "two".\nThere are: one, three, dev.\n';
    for (const line of ["org get --profile two", "profile use two", "profile delete two"])
      expect(await run(line)).toEqual({ code: 2, out: "", err: words });
    expect((await run("profile update one --name three")).code).toBe(2);
    expect((await logIn("dev", cli.token)).code).toBe(2);
    expect((await logIn("../x", cli.token)).code).toBe(2);
    await run("auth logout --profile three");
    expect((await run("profile list -o name")).out).toBe("one\n");
    expect((await run("profile use dev")).code).toBe(0);
    expect((await run("auth logout")).err).toBe("Nothing is saved.\n");
    expect((await run("org get")).err).toContain("No svc dev was started in");
  });

  test("that was saved when there was one only is still there", async () => {
    const { home, file, orgOf, run } = await setup();
    await mkdir(path.join(home, "svc"));
    const old = { url: cli.url, token: cli.token, org: cli.runner.orgId };
    await writeFile(file, JSON.stringify(old), { mode: 0o600 });
    expect(await orgOf("")).toBe(cli.runner.orgId);
    expect((await run("profile list")).out).toMatch(/\ndefault +yes /);
    await run("profile update default --name mine");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      current: "mine",
      profiles: { mine: old },
    });
  });
});
