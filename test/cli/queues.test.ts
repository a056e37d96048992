import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";
import { claimSignals, reportSignal } from "../support/queues/given-signals.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

const words = (line: readonly string[], input?: string) =>
  svc(line, {
    env: { SVC_URL: cli.url, SVC_TOKEN: cli.token },
    ...(input !== undefined && { input }),
  });

/** A queue of its own, made by the command line. */
async function madeQueue(name: string, flags = ""): Promise<string> {
  const made = await cli.run(`queue create --name ${name} ${flags}-o name`);
  expect(made.err).toContain("svc signal create");
  return made.out.trim();
}

/** Executes the first signal of a queue by a worker that says how it ends. */
async function execute(queueId: string, event: string): Promise<void> {
  const queue = { orgId: cli.runner.orgId, queueId };
  const [claimed] = await claimSignals(cli.db, queue);
  if (claimed === undefined) throw new Error("nothing was claimed");
  expect(await reportSignal(cli.db, queue, claimed, event)).toBe("done");
}

describe("svc queue", () => {
  test("creates, lists, shows, changes and deletes queues", async () => {
    const id = await madeQueue("changes", "--owner-type install --owner-id ins_1 ");
    const listed = await cli.run("queue list --owner-id ins_1");
    expect(listed.out).toMatch(/^ID +NAME +OWNER +STATUS +WAITING +IN FLIGHT +OLDEST +AGE\n/);
    expect(listed.out).toMatch(new RegExp(`${id} +changes +install ins_1 +active +0 +0/1 +-`));
    const none = await cli.run("queue list --name nowhere");
    expect(none.out + none.err).toMatch(/^No queues found\. .+\n$/);
    const changed = await cli.run(`queue update ${id} --max-in-flight 3 --idle-timeout 0s`);
    expect(changed.out).toMatch(/in flight +0 of at most 3\n[^]*idle +never/);
    expect((await cli.run(`queue update ${id}`)).err).toContain("Nothing to change");
    expect(await cli.run(`queue delete ${id}`)).toMatchObject({ code: 2 });
    expect(await cli.run(`queue delete ${id} --yes`)).toMatchObject({ code: 0 });
    expect((await cli.run(`queue get ${id}`)).code).toBe(3);
  });

  test("pauses, says why and until when, and resumes", async () => {
    const id = await madeQueue("paused");
    const paused = await words(["queue", "pause", id, "--until", "1h", "--note", "new disk"]);
    expect(paused.out).toMatch(/status +paused[^]*paused +new disk \(until 20/);
    expect(paused.err).toContain(`svc queue resume ${id}`);
    expect((await cli.run(`queue resume ${id}`)).out).toMatch(/status +active/);
  });

  test("purges what waits, after it was confirmed", async () => {
    const id = await madeQueue("purged");
    for (let at = 0; at < 3; at++) await cli.run(`signal create --queue ${id} --type work`);
    expect((await cli.run(`queue purge ${id}`)).err).toContain("add --yes");
    expect((await cli.run(`queue purge ${id} --yes`)).out).toBe("3 signals were cancelled.\n");
    expect((await cli.run(`queue get ${id}`)).out).toMatch(/waiting +0 of/);
  });
});

describe("svc signal", () => {
  test("enqueues data from standard input, lists it in the order of the line, and shows it", async () => {
    const id = await madeQueue("order");
    const first = await words(
      ["signal", "create", "--queue", id, "--type", "work", "--signal-file", "-", "-o", "name"],
      '{"install": "ins_1"}',
    );
    const second = await cli.run(`signal create --queue ${id} --type work -o name`);
    const line = await cli.run(`signal list --queue ${id} --status queued -o name`);
    expect(line.out).toBe(first.out + second.out);
    const shown = await cli.run(`signal get ${first.out.trim()} -o json`);
    expect(JSON.parse(shown.out)).toMatchObject({ signal: { install: "ins_1" } });
    expect((await cli.run(`queue get ${id}`)).out).toMatch(/next +sig_\w+ {2}work {2}queued/);
  });

  test("keeps one signal of a dedupe key, and says which", async () => {
    const id = await madeQueue("dedupe");
    const create = `signal create --queue ${id} --type work --dedupe-key nightly -o name`;
    const first = await cli.run(create);
    const again = await cli.run(create);
    expect(again.out).toBe(first.out);
    expect(again.err).toContain("has the same dedupe key");
  });

  test("cancels a signal, and redrives dead ones, by id or all", async () => {
    const id = await madeQueue("dead");
    const create = `signal create --queue ${id} --type work --max-executions 1 -o name`;
    const signal = (await cli.run(create)).out.trim();
    await execute(id, "fail");
    expect((await cli.run(`signal list --queue ${id} --status dead -o name`)).out.trim()).toBe(
      signal,
    );
    expect((await cli.run(`signal redrive ${signal}`)).out).toMatch(/status +queued/);
    await execute(id, "fail");
    expect((await cli.run(`signal redrive --queue ${id}`)).out).toBe(
      "1 signal is in line again.\n",
    );
    expect((await cli.run(`signal cancel ${signal}`)).out).toMatch(/status +cancelled/);
    expect((await cli.run("signal redrive")).err).toContain("Give the id of a signal");
  });

  test("says what is wrong with data before it asks the broker", async () => {
    const lines = [
      [["--signal", "[1]"], "--signal must be a JSON object."],
      [["--signal", "{"], "--signal is not valid JSON."],
      [["--signal", "{}", "--signal-file", "-"], "cannot be used together"],
    ] as const;
    for (const [flags, sentence] of lines) {
      const made = await words([
        "signal",
        "create",
        "--queue",
        "que_1",
        "--type",
        "work",
        ...flags,
      ]);
      expect(made.code).toBe(2);
      expect(made.err).toContain(sentence);
    }
  });
});
