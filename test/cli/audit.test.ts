import { beforeAll, describe, expect, test } from "vitest";
import { advanceClock } from "../support/database/clock.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

describe("svc audit", () => {
  test("lists what was done, and narrows it", async () => {
    const id = (await cli.run("queue create --name told -o name")).out.trim();
    await cli.run(`queue pause ${id} --note upgrade`);
    const listed = await cli.run(`audit list --target ${id}`);
    expect(listed.out).toMatch(/^AT +WHO +ACTION +TARGET +OUTCOME +FROM +REASON\n/);
    expect(listed.out).toMatch(new RegExp(`pauseQueue +${id} +allowed +\\S+ +upgrade\n`));
    expect(listed.out).toMatch(new RegExp(`createQueue +${id} +allowed`));
    const names = await cli.run(`audit list --target ${id} --action pauseQueue -o name`);
    expect(names.out).toMatch(/^aud_\w{26}\n$/);
    const none = await cli.run("audit list --outcome failed --from 1h");
    expect(none).toMatchObject({ code: 0, out: "" });
    expect(none.err).toContain("No events found.");
    expect((await cli.run("audit list --from lately")).code).toBe(2);
  });

  test("exports lines from which it goes on", async () => {
    for (const name of ["a", "b", "c"]) await cli.run(`queue create --name ${name}`);
    await advanceClock(cli.db, "11 seconds");
    const whole = await cli.run("audit export --action createQueue");
    const lines = whole.out.trim().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(whole.err).toContain(`${lines.length} events.`);
    const { cursor } = JSON.parse(lines[0] ?? "") as { cursor: string };
    const rest = await cli.run(`audit export --action createQueue --cursor ${cursor}`);
    expect(rest.out.trim().split("\n")).toEqual(lines.slice(1));
  });
});
