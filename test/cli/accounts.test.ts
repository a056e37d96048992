import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

describe("svc account", () => {
  test("creates, shows, changes and removes an account", async () => {
    const made = await cli.run("account create pipeline --role org_builder -o json");
    const { id } = JSON.parse(made.out) as { id: string };
    const [list, one] = [await cli.run("account list"), await cli.run(`account get ${id}`)];
    expect(list.out).toMatch(/^ID +NAME +TYPE +ROLES +AGE\n/);
    expect(list.out).toMatch(new RegExp(`${id} +pipeline +service +Builder`));
    expect((await cli.run("account list --query PIPE -o name")).out).toBe(`${id}\n`);
    expect((await cli.run("account list --type canary")).out).toBe("");
    expect(one.out).toMatch(/permissions +.*apps\.write/s);
    const changed = await cli.run(`account roles ${id} --role org_read_only`);
    expect(changed.out).not.toContain("apps.write");
    const gone = await cli.run(`account remove ${id}`);
    expect(gone).toMatchObject({ code: 0, out: "" });
    expect((await cli.run(`account get ${id}`)).code).toBe(3);
  });

  test("says what is wrong with a role, and which flag it lacks", async () => {
    expect((await cli.run("account create x --role nobody")).code).toBeGreaterThan(0);
    expect(await cli.run("account create x")).toMatchObject({ code: 2, out: "" });
  });
});
