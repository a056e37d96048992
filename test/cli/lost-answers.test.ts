import { beforeAll, expect, test } from "vitest";
import { faultProxy } from "../support/network/fault-proxy.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";
import { givenRunner } from "../support/rows/given.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

/** The broker by way of a proxy, and the command line that asks it. */
async function setup() {
  const proxy = await faultProxy(cli.url);
  const env = { SVC_URL: proxy.url, SVC_TOKEN: cli.token };
  return { proxy, run: async (...words: string[]) => await svc(words, { env }) };
}

test("a job whose creation's answer is lost is created once", async () => {
  const { runnerId } = await givenRunner(cli.db, { orgId: cli.runner.orgId });
  const { proxy, run } = await setup();
  const failing = proxy.fail(`POST /runners/${runnerId}/jobs`, "truncated", 1);
  const made = await run("job", "create", "--runner", runnerId, "--type", "noop", "-o", "name");
  const listed = await run("job", "list", "--runner", runnerId, "-o", "name");
  expect({ code: made.code, out: listed.out, hits: failing.hits() }).toEqual({
    code: 0,
    out: made.out,
    hits: 1,
  });
});

test("who creates what was not there is not told that it was", async () => {
  const { proxy, run } = await setup();
  proxy.fail("POST /apps", "truncated", 1);
  const made = await run("app", "create", "lost");
  expect(made).toMatchObject({ code: 0, err: expect.not.stringContaining("already") as string });
});

test("a rate that is limited is waited for as long as the broker says", async () => {
  const { proxy, run } = await setup();
  proxy.fail("GET /orgs/current", "429", 2, 0);
  expect((await run("org", "get")).code).toBe(0);
  expect(proxy.seen("GET /orgs/current")).toHaveLength(3);
});

test("a request that would be done twice is made once", async () => {
  const { proxy, run } = await setup();
  proxy.fail("POST /runner-groups", "truncated");
  const { code, err } = await run("api", "POST", "/v1/runner-groups", "-f", "name=lost");
  expect({ code, err }).toEqual({
    code: 6,
    err: expect.stringMatching(/^No broker responds at /) as string,
  });
  expect(proxy.seen("POST /runner-groups")).toHaveLength(1);
});
