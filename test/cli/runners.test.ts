import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { agentProgram, givenSettings } from "../../agent/commands/program.ts";
import { readConfig } from "../../agent/config/read-config.ts";
import type { Runner } from "../../shared/api/runner.ts";
import { parseLine } from "../../shared/command-line/parse-line.ts";
import { runPrinted } from "../support/agent/printed-agent.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { givenProcess, givenRunner } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

type Created = {
  readonly runner: Runner;
  readonly enrolment_token: { readonly secret: string; readonly expires_at: string };
};

/** The lines that were printed to be typed. */
const typed = (printed: string): string[] =>
  [...printed.matchAll(/^ {2}(.+)$/gm)].map(([, line = ""]) => line);

/** A line as the agent's own table of flags reads it. */
function readByAgent(line: string | undefined) {
  const [program, ...words] = line?.split(" ") ?? [];
  expect(program).toBe("svc-agent");
  const parsed = parseLine(words, agentProgram({}));
  if (parsed.kind !== "run") throw new Error(`${line} asks for help`);
  const given = givenSettings(parsed.command, parsed.given);
  return { name: parsed.command.name, settings: readConfig(given, {}) };
}

/** Waits until a process of the runner has registered. */
async function registered(runnerId: string): Promise<void> {
  const headers = { authorization: `Bearer ${cli.token}` };
  const list = async () =>
    await (await fetch(`${cli.url}/v1/runners/${runnerId}/processes`, { headers })).text();
  await expect.poll(list).toContain('"prc_');
}

describe("svc runner create", () => {
  test("prints a one-time token and the lines that start an agent by it", async () => {
    const made = await cli.run("runner create --name acme --parallelism deploy=3");
    expect(made).toMatchObject({ code: 0, err: "" });
    const lines = typed(made.out);
    const { name, settings } = readByAgent(lines.at(-1));
    expect(name).toBe("start");
    expect(settings).toMatchObject({ brokerUrl: cli.url, tokenFile: "enrolment-token" });
    const folder = await testFolder();
    const agent = await runPrinted(lines, folder);
    await registered(/run_\w+/.exec(made.out)?.[0] ?? "none");
    const file = path.join(folder, "enrolment-token");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(made.out).toContain(`token   ${await readFile(file, "utf8")}  (once, until 20`);
    agent.kill("SIGTERM");
    expect(await agent.ended).toBe(0);
  });

  test("makes a group of its own, or uses one that is there", async () => {
    const one = JSON.parse((await cli.run("runner create -o json")).out) as Created;
    const group = one.runner.runner_group_id;
    const other = await cli.run(`runner create --group ${group} -o json`);
    const two = JSON.parse(other.out) as Created;
    expect(two.runner.runner_group_id).toBe(group);
    const minutes = (Date.parse(two.enrolment_token.expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(58);
    expect(minutes).toBeLessThanOrEqual(60.1);
    const enrolled = await cli.run(`runner enrol ${two.runner.id} -o json`);
    const again = JSON.parse(enrolled.out) as Created;
    expect(again.enrolment_token.secret).not.toBe(two.enrolment_token.secret);
  });

  test("leaves no group behind when its name is taken", async () => {
    await cli.run("runner create --name taken");
    const groups = async () => (await cli.run("api GET /v1/runner-groups -f limit=100")).out;
    const before = await groups();
    const refused = await cli.run("runner create --name taken");
    expect(refused).toMatchObject({ code: 5, out: "" });
    expect(await groups()).toBe(before);
  });
});

describe("svc runner enrol", () => {
  test("prints the token alone, for a file, and beside it the line that starts an agent", async () => {
    const { runnerId } = await givenRunner(cli.db, { orgId: cli.runner.orgId });
    const made = await cli.run(`runner enrol ${runnerId}`);
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^svc_boot_\w+\n$/);
    expect(made.err).not.toContain("svc_boot_");
    const folder = await testFolder();
    await writeFile(path.join(folder, "enrolment-token"), made.out);
    const agent = await runPrinted(typed(made.err), folder);
    await registered(runnerId);
    agent.kill("SIGTERM");
    expect(await agent.ended).toBe(0);
  });
});

describe("svc runner", () => {
  test("lists and shows runners", async () => {
    const { runnerId } = cli.runner;
    const [table, names, one] = await Promise.all([
      cli.run("runner list --limit 100"),
      cli.run("runner list --limit 100 -o name"),
      cli.run(`runner get ${runnerId}`),
    ]);
    expect(table.out).toMatch(/^ID +NAME +STATUS +VERSION +WAITING +RUNNING +AGE\n/);
    expect(names.out.split("\n")).toContain(runnerId);
    expect(one.out).toContain(`runner     ${runnerId}\n`);
    expect(one.out).toContain("awaiting-heartbeat");
  });

  test("shows the processes of a runner that live, though many ended after them, and says when there are more", async () => {
    const runner = await givenRunner(cli.db, { orgId: cli.runner.orgId });
    const first = await givenProcess(cli.db, runner);
    for (let ended = 0; ended < 100; ended++) {
      const id = await givenProcess(cli.db, runner);
      await cli.db`select process_goes_down(${id}, 'shut-down', '')`;
    }
    const few = await cli.run(`runner get ${runner.runnerId}`);
    expect(few.out).toContain(first);
    expect(few.out).not.toContain("and more");
    for (let more = 0; more < 100; more++) await givenProcess(cli.db, runner);
    const many = await cli.run(`runner get ${runner.runnerId}`);
    expect(many.out).not.toContain(first);
    expect(many.out).toContain(`and more: svc process list --runner ${runner.runnerId}\n`);
  });

  test("pauses, resumes, disables, enables and deletes one, and says how to undo it", async () => {
    const { runnerId } = await givenRunner(cli.db, { orgId: cli.runner.orgId });
    const paused = await cli.run(`runner pause ${runnerId} --until 5m --note lunch`);
    expect(paused.out).toMatch(/paused +lunch \(until 20/);
    expect(paused.err).toBe(`Undo it: svc runner resume ${runnerId}\n`);
    expect((await cli.run(`runner resume ${runnerId}`)).out).not.toContain("paused");
    expect((await cli.run(`runner disable ${runnerId}`)).out).toMatch(/lifecycle +disabled/);
    expect((await cli.run(`runner enable ${runnerId}`)).out).toMatch(/lifecycle +enabled/);
    const unsure = await cli.run(`runner delete ${runnerId}`);
    expect(unsure).toEqual({
      code: 2,
      out: "",
      err: "Deleting a runner cannot be undone. To confirm, add --yes.\n",
    });
    expect(await cli.run(`runner delete ${runnerId} --yes`)).toMatchObject({ code: 0 });
    expect(await cli.run(`runner get ${runnerId}`)).toMatchObject({ code: 3 });
  });

  test("asks its processes to shut down", async () => {
    const runner = await givenRunner(cli.db, { orgId: cli.runner.orgId });
    const processId = await givenProcess(cli.db, runner);
    const asked = await cli.run(`runner shutdown ${runner.runnerId} --deadline 5m`);
    expect(asked.out).toMatch(
      new RegExp(`\\nshd_\\w+ +${processId} +graceful +requested +no job ran\n$`),
    );
    const forced = await cli.run(`runner shutdown ${runner.runnerId} --force -o json`);
    expect(JSON.parse(forced.out)).toMatchObject([{ type: "force" }]);
    const both = await cli.run(`runner shutdown ${runner.runnerId} --force --restart`);
    expect(both).toMatchObject({ code: 2, out: "" });
  });
});
