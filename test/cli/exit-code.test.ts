import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { exitCodes } from "../../cli/errors/exit-codes.ts";
import { mintToken } from "../../shared/token.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { startSvc, svc } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
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

type Ends = Record<Exclude<keyof typeof exitCodes, "drift">, readonly [string, Ended]>;
type Ended = { readonly code: number | null };

test("every exit code of the docs is that of a command; terraform.test.ts has the one for drift", async () => {
  const { db, broker } = fleet;
  const runner = await fleet.addRunner();
  const reader = await givenToken(db, { orgId: runner.orgId, role: "org_read_only" });
  const job = await runner.enqueue();
  const env = { SVC_URL: broker.url, SVC_TOKEN: runner.operatorToken };
  const run = async (line: string, more: Record<string, string> = {}) => {
    return [line, await svc(line.split(" "), { env: { ...env, ...more } })] as const;
  };
  const hook = "webhook create --to http://127.0.0.1:9/hooks";
  expect(await run(hook)).toMatchObject([hook, { code: 0 }]);
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const asking = startSvc(["runner", "list"], { env: { ...env, SVC_URL: url } });
  await once(silent, "request");
  asking.kill("SIGINT");

  const ends: Ends = {
    ok: await run("runner list"),
    failed: await run("migrate list", { DATABASE_URL: "nonsense" }),
    usage: await run("job crate"),
    notFound: await run(`job get ${job.slice(0, -1)}${job.endsWith("0") ? "1" : "0"}`),
    denied: await run("runner create", { SVC_TOKEN: reader }),
    conflict: await run(hook),
    unavailable: await run("runner list", { SVC_URL: "http://127.0.0.1:2" }),
    timeout: await run(`job wait ${job} --timeout 1s`),
    interrupted: ["runner list", await asking.ended],
  };
  const codes = Object.entries(ends).map(([name, [line, { code }]]) => ({ name, line, code }));
  expect(codes).toEqual(
    codes.map((each) => ({ ...each, code: exitCodes[each.name as keyof Ends].code })),
  );
  const others = [
    await run(`job get ${job}`, { SVC_TOKEN: mintToken("pat") }),
    await run(`job get ${job}`, { SVC_TOKEN: "svc_pat_nonsense" }),
    await run("api PATCH /v1/orgs/current -f name="),
    await run("api GET v1/roles"),
  ];
  expect(others.map(([line, { code }]) => [line, code])).toEqual([
    [`job get ${job}`, exitCodes.denied.code],
    [`job get ${job}`, exitCodes.usage.code],
    ["api PATCH /v1/orgs/current -f name=", exitCodes.usage.code],
    ["api GET v1/roles", exitCodes.usage.code],
  ]);
});
