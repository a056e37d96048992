import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { testSealKeys } from "../support/broker/seal-keys.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { startSvc, svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

type TokenJson = { readonly id: string; readonly org_id: string; readonly secret: string };

async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${cli.url}/v1/tokens/current`, { headers })).status;
}

describe("svc token", () => {
  test("makes the first token of an installation in the database itself, with its org", async () => {
    const env = { DATABASE_URL: cli.databaseUrl };
    const made = await svc(["token", "create", "--new-org", "Globex"], { env });
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^svc_pat_\w{36}\n$/);
    const org = await svc(["org", "get"], {
      env: { SVC_URL: cli.url, SVC_TOKEN: made.out.trim() },
    });
    expect(org.out).toMatch(/name +Globex/);
  });

  test("makes one in an org of that database, and refuses what does not fit", async () => {
    const env = { DATABASE_URL: cli.databaseUrl, SVC_ORG: cli.runner.orgId };
    const words = ["token", "create", "--name", "ci", "--role", "org_builder", "-o", "json"];
    const made = await svc(words, { env });
    const token = JSON.parse(made.out) as TokenJson;
    expect(token.org_id).toBe(cli.runner.orgId);
    expect(await statusOf(token.secret)).toBe(200);
    const results = await Promise.all([
      svc(["token", "create", "--name", "ci"], { env }),
      svc([...words, "--org", "org_00000000000000000000000000"], { env }),
      svc(words, { env: { DATABASE_URL: cli.databaseUrl } }),
      svc(words, { env: { ...env, DATABASE_URL: "mysql://root:hunter2@127.0.0.1/x" } }),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 3, 2, 1]);
    expect(results.map(({ err }) => err).join("")).not.toContain("hunter2");
  });

  test("makes tokens of one app or install, and says when there is none", async () => {
    const app = "app_00000000000000000000000000";
    const line = "token create --name acme --kind it --role installer";
    const both = await cli.run(`${line} --app ${app} --install ins_1`);
    expect(both).toMatchObject({ code: 2 });
    expect(both.err).toContain("only one of --app and --install");
    const none = await cli.run(`${line} --app ${app}`);
    expect(none.code).not.toBe(0);
    expect(none.err).toContain("This app does not exist in this org");
  });

  test("makes, lists, rotates and revokes tokens over the API", async () => {
    const line = "token create --name deploys --role org_builder --expires 90d -o json";
    const token = JSON.parse((await cli.run(line)).out) as TokenJson;
    const listed = await cli.run("token list");
    expect(listed.out).toMatch(/ID +NAME +TOKEN +ROLE +BOUND +STATE +USED\n/);
    expect(listed.out).toContain("deploys");
    expect(listed.out).not.toContain(token.secret);
    const rotated = await cli.run(`token rotate ${token.id} -o json`);
    const next = JSON.parse(rotated.out) as TokenJson;
    expect(await statusOf(next.secret)).toBe(200);
    const revoked = await cli.run(`token revoke ${next.id}`);
    expect(revoked.out).toMatch(/state +revoked/);
    expect(await statusOf(next.secret)).toBe(401);
  });
});

describe("svc org", () => {
  test("creates, lists and shows orgs, and acts in the one that --org names", async () => {
    const made = await cli.run("org create Initech -o name");
    const id = made.out.trim();
    expect(made.err).toBe(`Use it: svc runner create --org ${id}\n`);
    const [all, one] = await Promise.all([
      cli.run("org list -o name"),
      cli.run(`org get --org ${id}`),
    ]);
    expect(all.out.split("\n")).toContain(id);
    expect(one.out).toMatch(/name +Initech/);
  });

  test("changes an org's name and for how long it keeps what has ended", async () => {
    const id = (await cli.run("org create Keeper -o name")).out.trim();
    const changed = await cli.run(
      `org update --org ${id} --name Kept --retain jobs=7 --retain logs=30`,
    );
    expect(changed).toMatchObject({ code: 0, err: "" });
    const shown = await cli.run(`org get --org ${id}`);
    expect(shown.out).toMatch(/name +Kept\n/);
    expect(shown.out).toMatch(
      /keeps +jobs +7 days\n +logs +30 days\n +heart_beats +7 days \(the broker's\)\n/,
    );
    const back = await cli.run(`org update --org ${id} --retain jobs=broker -o json`);
    const { retention_days: days } = JSON.parse(back.out) as { retention_days: object };
    expect(days).toMatchObject({ jobs: null, logs: 30, audit: null });
    const wrong = await Promise.all(
      ["", "--retain signals=1", "--retain jobs", "--retain jobs=x", "--retain jobs=-1"].map(
        (flags) => cli.run(`org update --org ${id} ${flags}`.trim()),
      ),
    );
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    expect(wrong[1]?.err).toContain('"signals" is none of jobs, logs, heart_beats');
    const tooLong = await cli.run(`org update --org ${id} --retain jobs=91`);
    expect(tooLong.code).toBe(2);
    expect(tooLong.err).toContain("Allowed: 1 to 90");
  });
});

describe("svc auth", () => {
  test("saves a broker and a token for later commands, readable to its owner alone", async () => {
    const configHome = await testFolder();
    const env = { XDG_CONFIG_HOME: configHome };
    const login = ["auth", "login", "--url", cli.url, "--token-file", "-"];
    const saved = await svc(login, { env, input: `${cli.token}\n` });
    expect(saved).toMatchObject({ code: 0, out: "" });
    expect(saved.err).not.toContain(cli.token);
    const file = path.join(configHome, "svc", "config.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toContain(cli.token);
    const twice = ["runner", "get", cli.runner.runnerId, ...login.slice(2)]; // two requests
    expect(await svc(twice, { env: {}, input: cli.token })).toMatchObject({ code: 0 });
    const status = await svc(["auth", "status"], { env });
    expect(status.err).toBe(`${cli.url} (profile default in ${file})\n`);
    expect(status.out).toContain(cli.runner.orgId);
    await svc(["auth", "logout"], { env });
    expect(await svc(["auth", "status", "--url", cli.url], { env })).toMatchObject({ code: 4 });
  });

  test("saves nothing that does not work", async () => {
    const configHome = await testFolder();
    const env = { XDG_CONFIG_HOME: configHome, SVC_URL: cli.url };
    const wrong = cli.token.replace(/^svc_pat_/, "svc_sa_");
    const results = await Promise.all([
      svc(["auth", "login", "--token-file", "-"], { env, input: wrong }),
      svc(["auth", "login"], { env }),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2]);
    expect(await stat(path.join(configHome, "svc")).catch(() => "none")).toBe("none");
  });
});

describe("svc migrate", () => {
  test("brings a database up once, and lists what it has", async () => {
    const env = { DATABASE_URL: (await emptyDatabase()).url };
    const before = await svc(["migrate", "list"], { env });
    expect(before.out).toMatch(/^NAME +STATE +APPLIED\n0058-identity +pending +-\n/);
    const both = await Promise.all([
      svc(["migrate", "up", "-o", "name"], { env }),
      svc(["migrate", "up", "-o", "name"], { env }),
    ]);
    const applied = both.flatMap(({ out }) => out.split("\n").filter((line) => line !== ""));
    expect(applied.toSorted()).toEqual([...new Set(applied)].toSorted());
    const after = await svc(["migrate", "list", "-o", "json"], { env });
    const { items } = JSON.parse(after.out) as { items: { name: string; state: string }[] };
    expect(items.map(({ name }) => name)).toEqual(applied.toSorted());
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(["applied"]));
    const again = await svc(["migrate", "up"], { env });
    expect(again).toEqual({ code: 0, out: "", err: "Nothing to apply: the schema is current.\n" });
  });

  test("says in one sentence that the database is not there, without its password", async () => {
    const url = new URL(cli.databaseUrl);
    url.pathname = "/none";
    const results = await Promise.all([
      svc(["migrate", "up"], { env: { DATABASE_URL: "postgres://me:hunter2@127.0.0.1:2/x" } }),
      svc(["migrate", "list"], { env: { DATABASE_URL: url.href } }),
      svc(["broker"], { env: { DATABASE_URL: url.href, SVC_PORT: "0", SVC_SEAL_KEYS: "none" } }),
    ]);
    expect(results.map(({ code, out }) => `${code}${out}`)).toEqual(["6", "1", "1"]);
    expect(results.map(({ err }) => err)).toEqual([
      "The database in DATABASE_URL is unreachable (ECONNREFUSED).\n",
      'The database refused the request: database "none" does not exist.\n',
      'The database refused the request: database "none" does not exist.\n',
    ]);
  });

  test("says what is missing when no database is named", async () => {
    const refused = await svc(["migrate", "up"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/^DATABASE_URL is missing: .+\n$/);
  });
});

describe("svc broker", () => {
  test("serves the database of DATABASE_URL until SIGTERM", async () => {
    const env = {
      DATABASE_URL: cli.databaseUrl,
      SVC_PORT: "0",
      SVC_DRAIN_LINGER_MS: "0",
      SVC_SEAL_KEYS: testSealKeys,
    };
    const broker = startSvc(["broker"], { env });
    await expect.poll(() => broker.said.out).toContain('"url":"http://');
    const url = /"url":"([^"]+)"/.exec(broker.said.out)?.[1] ?? "";
    const status = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(status).toBe(200);
    broker.kill("SIGTERM");
    expect(await broker.ended).toMatchObject({ code: 0, err: "" });
  });

  test("names the setting that is missing or wrong", async () => {
    const env = { DATABASE_URL: cli.databaseUrl, SVC_PORT: "70000" };
    const results = await Promise.all([svc(["broker"]), svc(["broker"], { env })]);
    expect(results).toEqual([
      { code: 1, out: "", err: "DATABASE_URL is missing.\n" },
      { code: 1, out: "", err: "SVC_PORT must be a whole number from 0 to 65535.\n" },
    ]);
  });
});
