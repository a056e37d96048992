import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

const words = (line: readonly string[], input?: string) =>
  svc(line, {
    env: { SVC_URL: cli.url, SVC_TOKEN: cli.token },
    ...(input !== undefined && { input }),
  });

const nightly = ["emitter", "create", "--cron", "30 2 * * MON-FRI"];

describe("svc emitter", () => {
  test("puts a job of a runner on a schedule in one command", async () => {
    const { runnerId } = cli.runner;
    const job = JSON.stringify({ type: "noop", plan: {} });
    const line = [...nightly, "--runner", runnerId, "--job", "-"];
    const made = await words([...line, "--name", "first", "-o", "name"], job);
    expect(made.err).toContain("svc emitter next emt_");
    const second = await words([...line, "--name", "second", "--job-type", "noop"], "{}");
    expect(second.out).toMatch(/signal +runner-job\n/);
    const queues = await cli.run(`queue list --owner-id ${runnerId} --name schedules -o name`);
    expect(queues.out).toMatch(/^que_\w+\n$/);
    const fired = await cli.run(`emitter fire ${made.out.trim()}`);
    expect(fired.out).toMatch(/type +runner-job\n/);
    const jobs = () => cli.run(`job list --runner ${runnerId} -o name`);
    await expect.poll(async () => (await jobs()).out).toMatch(/^job_/);
  });

  test("shows the next ticks in words and times", async () => {
    const queue = (await cli.run("queue create --name ticks -o name")).out.trim();
    const zone = ["--time-zone", "Europe/Berlin", "--queue", queue, "--type", "work"];
    const made = await words([...nightly, ...zone, "--name", "ticks", "-o", "name"]);
    const next = await cli.run(`emitter next ${made.out.trim()}`);
    expect(next.err).toMatch(/02:30.*Monday to Friday.*Europe\/Berlin/);
    expect(next.out.trim().split("\n")).toHaveLength(11);
    expect(next.out).toMatch(
      /^TICK +IN ITS ZONE +EMITTED +IN\n20\d\d-\d\d-\d\dT0[01]:30\S+ +20\d\d-\d\d-\d\d 02:30:00\+0[12]:00 /,
    );
    const listed = await cli.run(`emitter list --queue ${queue}`);
    expect(listed.out).toMatch(/^ID +NAME +WHEN +TYPE +STATUS +EMITTED +LAST +NEXT\n/);
    const paused = await cli.run(`emitter pause ${made.out.trim()} --until 1h`);
    expect(paused.out).toMatch(/status +paused/);
    expect((await cli.run(`emitter resume ${made.out.trim()}`)).out).toMatch(/status +active/);
    expect(await cli.run(`emitter delete ${made.out.trim()} --yes`)).toMatchObject({ code: 0 });
  });

  test("says what is missing or wrong, before it asks and after", async () => {
    const queue = (await cli.run("queue create --name wrong -o name")).out.trim();
    const work = ["--name", "wrong", "--queue", queue, "--type", "work"];
    const lines = [
      [["emitter", "create", ...work], "exactly one of --cron, --at and --in"],
      [[...nightly, "--in", "1m", ...work], "exactly one of --cron, --at and --in"],
      [[...nightly, "--name", "a", "--queue", queue], "Say what to enqueue"],
      [[...nightly, "--name", "a", "--job", "-"], "The flag --runner is required"],
      [["emitter", "create", "--cron", "61 * * * *", ...work], "Minute 61"],
      [["emitter", "create", "--cron", "* * 31 2 *", ...work], "never"],
      [["emitter", "create", "--at", "2001-01-01T00:00:00Z", ...work], "future"],
    ] as const;
    for (const [line, sentence] of lines) {
      const made = await words([...line], "{}");
      expect(`${made.code} ${made.err}`).toContain("2 ");
      expect(made.err).toContain(sentence);
    }
  });
});
