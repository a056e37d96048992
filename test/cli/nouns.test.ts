import { beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import { createToken } from "../../broker/tokens/create-token.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../support/rows/given.ts";

const noProcess = "prc_00000000000000000000000000";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

async function setup() {
  const runner = await givenRunner(cli.db, { orgId: cli.runner.orgId });
  const processId = await givenProcess(cli.db, runner);
  const ofRunner = `--runner ${runner.runnerId}`;
  return { runner, processId, ofRunner };
}

describe("svc process", () => {
  test("lists and shows the processes of a runner", async () => {
    const { processId, ofRunner } = await setup();
    const [table, names, none, one, lost] = await Promise.all([
      cli.run(`process list ${ofRunner}`),
      cli.run(`process list ${ofRunner} -o name`),
      cli.run(`process list ${ofRunner} --status offline`),
      cli.run(`process get ${processId} ${ofRunner}`),
      cli.run(`process get ${noProcess} ${ofRunner}`),
    ]);
    expect(table.out).toMatch(/^ID +TYPE +VERSION +STATUS +ORDER +STARTED +SEEN\nprc_/);
    expect(names.out).toBe(`${processId}\n`);
    expect(none).toMatchObject({ code: 0, out: "" });
    expect(one.out).toMatch(new RegExp(`^process +${processId}\nrunner +run_`));
    expect(lost).toMatchObject({ code: 3, out: "" });
  });

  test("shuts down one of several, and shows the order with it", async () => {
    const { runner, processId, ofRunner } = await setup();
    const other = await givenProcess(cli.db, runner);
    const asked = await cli.run(`process shutdown ${processId} ${ofRunner} --reason disk`);
    expect(asked.out).toMatch(
      new RegExp(`\nshd_\\w+ +${processId} +graceful +requested +no job ran\n$`),
    );
    const shown = await cli.run(`process get ${processId} ${ofRunner}`);
    expect(shown.out).toMatch(/orders +shd_\w+: graceful, requested, .*"disk"/);
    expect((await cli.run(`process get ${other} ${ofRunner}`)).out).not.toContain("orders");
    const forced = await cli.run(`process shutdown ${other} ${ofRunner} --force -o json`);
    expect(JSON.parse(forced.out)).toMatchObject([{ type: "force", runner_process_id: other }]);
    const both = await cli.run(`process shutdown ${other} ${ofRunner} --force --restart`);
    expect(both).toMatchObject({ code: 2, out: "" });
  });
});

describe("svc execution", () => {
  test("lists and shows the attempts at a job", async () => {
    const { runner, processId } = await setup();
    const { jobId, executionId } = await givenExecution(cli.db, runner, { processId });
    const result = { success: false, error_code: 3 };
    const ended = { executionId, status: "failed", description: "It broke.", result } as const;
    expect(await report(cli.db, runner, ended)).toBe("ok");
    const [table, names, none, one, lost] = await Promise.all([
      cli.run(`execution list ${jobId}`),
      cli.run(`execution list ${jobId} -o name --status failed`),
      cli.run(`execution list ${jobId} --status finished`),
      cli.run(`execution get ${jobId} ${executionId}`),
      cli.run(`execution get ${jobId} exe_00000000000000000000000000`),
    ]);
    expect(table.out).toMatch(/^ID +STATUS +PROCESS +AGE +TOOK +DESCRIPTION\nexe_.+ It broke\.\n$/);
    expect(names.out).toBe(`${executionId}\n`);
    expect(none).toMatchObject({ code: 0, out: "" });
    expect(one.out).toMatch(/status +failed: It broke\.\n/);
    expect(one.out).toMatch(/result +error 3/);
    expect(lost).toMatchObject({ code: 3, out: "" });
  });
});

describe("svc group", () => {
  test("lists, shows, changes, pauses and deletes groups", async () => {
    const { runner } = await setup();
    const { groupId } = runner;
    const listed = await cli.run("group list --limit 100");
    expect(listed.out).toMatch(/^ID +NAME +TYPE +PLATFORM +OWNER +PAUSED +AGE\n/);
    expect(listed.out).toContain(groupId);
    const renamed = await cli.run(`group update ${groupId} --name east --platform aws`);
    expect(renamed.out).toMatch(/name +east\n/);
    expect((await cli.run(`group get ${groupId}`)).out).toContain(`${runner.runnerId}: `);
    expect(await cli.run(`group update ${groupId}`)).toMatchObject({ code: 2, out: "" });
    const paused = await cli.run(`group pause ${groupId} --until 5m --note lunch`);
    expect(paused.out).toMatch(/paused +lunch \(until 20/);
    expect(paused.err).toBe(`Undo it: svc group resume ${groupId}\n`);
    expect((await cli.run(`group resume ${groupId}`)).out).not.toContain("paused");
    expect(await cli.run(`group delete ${groupId}`)).toMatchObject({ code: 2 });
    expect(await cli.run(`group delete ${groupId} --yes`)).toMatchObject({ code: 5 });
  });

  test("changes settings by name, one entry of a map, and by a file", async () => {
    const { groupId } = (await setup()).runner;
    const set = await cli.run(
      `group set ${groupId} job_group_parallelism.deploy=3 job_group_parallelism.build=2 ` +
        "logging_level=DEBUG enable_metrics=true job_group_max_depth=50 heart_beat_timeout=7s groups=deploy,build -o json",
    );
    expect(set.code).toBe(0);
    expect(JSON.parse(set.out)).toMatchObject({
      job_group_parallelism: { deploy: "3", build: "2" },
      logging_level: "DEBUG",
      enable_metrics: true,
      job_group_max_depth: 50,
      heart_beat_timeout: 7e9,
      groups: ["deploy", "build"],
    });
    await cli.run(`group set ${groupId} job_group_parallelism.deploy=4`);
    await cli.run(`group set ${groupId} --input -`, '{"metadata":{"a":"1"}}');
    const shown = await cli.run(`group settings ${groupId}`);
    expect(shown.out).toMatch(/job_group_parallelism +build=2\n +deploy=4\n/);
    expect(shown.out).toMatch(/metadata +a=1\n/);
    expect(shown.out).toMatch(/heart_beat_timeout +7s\n/);
    expect((await cli.run(`group settings ${groupId} -o name`)).out).toBe(`${groupId}\n`);
  });

  test("refuses settings that another has changed, and names what is wrong", async () => {
    const { groupId } = (await setup()).runner;
    const { version } = JSON.parse((await cli.run(`group settings ${groupId} -o json`)).out) as {
      version: number;
    };
    const change = `group set ${groupId} --if-version ${version} logging_level`;
    expect(await cli.run(`${change}=WARN`)).toMatchObject({ code: 0 });
    expect(await cli.run(`${change}=INFO`)).toMatchObject({ code: 5, out: "" });
    expect((await cli.run(`group settings ${groupId}`)).out).toMatch(/logging_level +WARN\n/);
    const results = await Promise.all([
      cli.run(`group set ${groupId} loging_level=INFO`),
      cli.run(`group set ${groupId} id=x`),
      cli.run(`group set ${groupId} enable_metrics=maybe`),
      cli.run(`group set ${groupId} logging_level.x=1`),
      cli.run(`group set ${groupId} metadata=1`),
      cli.run(`group set ${groupId} logging_level=LOUD`),
      cli.run(`group set ${groupId}`),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 2]);
    expect(results[0]?.err).toContain("Did you mean logging_level?");
    expect(results[5]?.err).toContain("#/logging_level");
  });
});

describe("svc role", () => {
  test("lists and shows roles, and which permit what", async () => {
    const [all, some, one, none] = await Promise.all([
      cli.run("role list"),
      cli.run("role list --permits jobs.cancel --for token"),
      cli.run("role get org_read_only"),
      cli.run("role get nobody"),
    ]);
    expect(all.out).toMatch(/^ROLE +TITLE +FOR +PERMISSIONS +DESCRIPTION\n/);
    expect(all.out).toContain("org_read_only");
    expect(some.out).toContain("org_admin");
    expect(some.out).not.toContain("org_read_only");
    expect(one.out).toMatch(/^role +org_read_only\n/);
    expect(one.out).toContain("jobs.read");
    expect(none).toMatchObject({ code: 2, out: "" });
    expect(none.err).toContain("org_builder");
  });

  test("creates, changes and deletes a role of the org", async () => {
    const made = await cli.run("role create Reader --from org_support --permit orgs.read -o name");
    const id = made.out.trim();
    expect(await cli.run(`role update ${id}`)).toMatchObject({ code: 2, out: "" });
    const words = "--title Looker --permit orgs.read --permit jobs.read";
    const changed = await cli.run(`role update ${id} ${words}`);
    expect(changed.out).toMatch(/title +Looker\n.*permissions +orgs.read\n +jobs.read\n/s);
    const wide = await cli.run(`role update ${id} --permit accounts.write`);
    expect(wide).toMatchObject({ code: 2, out: "" });
    expect((await cli.run(`role delete ${id}`)).err).toBe(`Deleted ${id}.\n`);
  });
});

describe("svc invite", () => {
  test("invites an account, gives the invitation its time again, and has it accepted", async () => {
    const { orgId: home } = await bootstrapOrg(cli.db, "Home");
    const person = { accountType: "auth", name: "Ann", email: "", subject: "", createdById: "" };
    const roles = ["org_read_only"];
    const { id: accountId } = await createAccount(cli.db, home, { ...person, roles });
    const own = { name: "t", kind: "pat", accountId, createdById: "", reach: "account" } as const;
    const { secret } = await createToken(cli.db, home, own);
    const made = await cli.run(`invite create ${accountId} --role org_builder -o name`);
    const id = made.out.trim();
    const again = await cli.run(`invite resend ${id} --expires 48h -o json`);
    const { created_at: from, expires_at: to } = JSON.parse(again.out) as Record<string, string>;
    expect(Math.round((Date.parse(to ?? "") - Date.parse(from ?? "")) / 3_600_000)).toBe(48);
    const env = { SVC_URL: cli.url, SVC_TOKEN: secret };
    const accepted = await svc(["invite", "accept", id], { env });
    expect(accepted.out).toMatch(/state +accepted\n/);
    expect(await cli.run(`invite resend ${id}`)).toMatchObject({ code: 5, out: "" });
  });
});
