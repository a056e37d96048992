import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** A file that is there but may not be executed. */
const noProgram = "/proc/version";

describe("the exit code of svc job run", () => {
  test("is that of what ran there, as a shell has it", async () => {
    const runner = await fleet.addRunner({ parallelism: { actions: 4, operations: 4 } });
    const agentEnv = { SVC_AGENT_TOKEN: runner.token };
    const settings = { groups: "actions=4,operations=4" };
    await startAgentProcess({ url: fleet.broker.url, env: agentEnv, settings });
    const env = { SVC_URL: fleet.broker.url, SVC_TOKEN: runner.operatorToken };
    const folder = await testFolder();
    const codeOf = async (text: string, at: number): Promise<number | null> => {
      const file = path.join(folder, `${at}.sh`);
      await writeFile(file, text);
      await chmod(file, 0o755);
      return await run(["--", file]);
    };
    const run = async (words: readonly string[]): Promise<number | null> =>
      (await svc(["job", "run", "--runner", runner.runnerId, ...words], { env })).code;

    const scripts = [
      ["exit 124\n", 124],
      ["exit 130\n", 130],
      ["exit 255\n", 255],
      ["nothing-of-this-name\n", 127],
      [`${noProgram}\n`, 126],
      ["#!/nothing/of/this/name\n", 127],
      ["kill -TERM $$; sleep 60\n", 143],
      ["kill -KILL $$\n", 137],
    ] as const;
    const codes = await Promise.all(
      scripts.map(async ([text], at) => [text, await codeOf(text, at)] as const),
    );
    expect(codes).toEqual(scripts);
    expect(await run(["--", "nothing-of-this-name"])).toBe(127);
    expect(await run(["--", "sh", "-c", "kill -INT $$"])).toBe(130);
    expect(await run(["--exit-code", "fate", "--", "sh", "-c", "kill -KILL $$"])).toBe(1);
  });
});
