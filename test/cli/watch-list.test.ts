import { beforeAll, describe, expect, test } from "vitest";
import { wholeProgram } from "../../cli/program.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { commandsOf } from "../../shared/command-line/program.ts";
import { tcpProxy } from "../support/network/tcp-proxy.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { startSvc, startSvcInTerminal, svc } from "../support/programs/svc.ts";
import { givenRunner } from "../support/rows/given.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

/** A runner of its own, its jobs, and how they are watched. */
async function setup() {
  const { runnerId } = await givenRunner(cli.db, { orgId: cli.runner.orgId });
  const create = async () =>
    (await cli.run(`job create --runner ${runnerId} --type noop -o name`)).out.trim();
  const words = ["job", "list", "--runner", runnerId, "--watch", "--interval", "500ms"];
  const env = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
  const watch = (...more: string[]) => startSvc([...words, ...more], { env });
  return { runnerId, create, words, env, watch };
}

const lines = (text: string): string[] => text.split("\n").slice(0, -1);

test("every list has all formats, --watch, pages or none, and nothing else has", async () => {
  const program = await wholeProgram();
  const watched = commandsOf(program).filter(({ flags }) => "watch" in flags);
  const named = commandsOf(program).filter(({ name }) => name.endsWith(" list"));
  expect(named.filter((command) => !watched.includes(command))).toEqual([]);
  expect(watched.map(({ name }) => name)).toContain("workspace history");
});

describe("a watched list in a pipe", () => {
  test("is the table once, then a line for each thing that is new or changed", async () => {
    const { create, watch } = await setup();
    const first = await create();
    const watching = watch();
    await expect.poll(() => watching.said.out).toContain(first);
    const second = await create();
    await expect.poll(() => watching.said.out).toContain(second);
    await cli.run(`job cancel ${first}`);
    await expect.poll(() => watching.said.out).toContain("cancelled");
    watching.kill("SIGINT");
    const { code, out, err } = await watching.ended;
    expect({ code, err }).toEqual({ code: 130, err: "" });
    const rows = lines(out);
    expect(rows[0]).toMatch(/^ID +TYPE +STATUS /);
    expect(rows.slice(1).map((row) => row.split(/ +/)[0])).toEqual([first, second, first]);
  });

  test("is an object, an id or a page for each change", async () => {
    const { create, watch } = await setup();
    const first = await create();
    const watching = {
      ndjson: watch("-o", "ndjson"),
      name: watch("-o", "name"),
      json: watch("-o", "json"),
    };
    for (const { said } of Object.values(watching))
      await expect.poll(() => said.out).toContain(first);
    await cli.run(`job cancel ${first}`);
    const counts = () => Object.values(watching).map(({ said }) => lines(said.out).length);
    await expect.poll(counts).toEqual([2, 2, 2]);
    const objects = lines(watching.ndjson.said.out).map((line) => JSON.parse(line) as RunnerJob);
    expect(objects.map(({ id, status }) => [id, status])).toEqual([
      [first, "queued"],
      [first, "cancelled"],
    ]);
    expect(watching.name.said.out).toBe(`${first}\n${first}\n`);
    const pages = lines(watching.json.said.out);
    expect(pages.map((page) => (JSON.parse(page) as { items: unknown[] }).items.length)).toEqual([
      1, 1,
    ]);
  });

  test("says that it is empty, and that more is new than it shows", async () => {
    const { create, watch } = await setup();
    const watching = watch("--limit", "1", "-o", "name");
    await expect.poll(() => watching.said.err).toMatch(/No jobs found\..+\n$/);
    const first = await create();
    await expect.poll(() => watching.said.out).toContain(first);
    watching.kill("SIGSTOP");
    const [, last] = [await create(), await create()];
    watching.kill("SIGCONT");
    await expect.poll(() => watching.said.out).toContain(last);
    expect(watching.said.err).toContain("More than 1 are new");
  });

  test("goes on when its broker was away for a while, and says so", async () => {
    const { create, words } = await setup();
    const proxy = await tcpProxy(cli.url);
    const env = { SVC_URL: proxy.url, SVC_TOKEN: cli.token };
    const first = await create();
    const watching = startSvc([...words, "-o", "name"], { env });
    await expect.poll(() => watching.said.out).toContain(first);
    proxy.setAway(true);
    await expect.poll(() => watching.said.err).toMatch(/^No broker responds at .+\n$/);
    const second = await create();
    proxy.setAway(false);
    await expect.poll(() => watching.said.out).toBe(`${first}\n${second}\n`);
    expect(watching.said.err).toMatch(
      /^No broker responds .+ Looking again …\nThe broker is reachable again\.\n$/,
    );
  });

  test("is refused as any list is, and only makes sense from its first page on", async () => {
    const { env } = await setup();
    const results = await Promise.all([
      svc(["job", "list", "--watch", "--cursor", "x"], { env }),
      svc(["job", "list", "--interval", "1s"], { env }),
      svc(["job", "list", "--watch", "--interval", "1ms"], { env }),
      svc(["signal", "list", "--queue", "que_00000000000000000000000000", "-w"], { env }),
      svc(["token", "list", "-w"], { env: { SVC_URL: cli.url } }),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 3, 4]);
    expect(results.map(({ out }) => out).join("")).toBe("");
  });
});

describe("a watched list on a terminal", () => {
  test("is drawn in place of what was there", async () => {
    const { create, words, env } = await setup();
    const first = await create();
    const watching = startSvcInTerminal(words, { env });
    await expect.poll(() => watching.said.out).toContain(first);
    await cli.run(`job cancel ${first}`);
    await expect.poll(() => watching.said.out).toContain("cancelled");
    // Two lines of a table and the one below them are taken back, and both are drawn again.
    const [, again = ""] = watching.said.out.split("\r\u001B[2A\u001B[J").slice(-2);
    expect(again.startsWith("\u001B[2mID ")).toBe(true);
    expect(again).toMatch(new RegExp(`\n${first} +noop +cancelled .+\r\n$`));
  });

  test("keeps what others wrote from steering it", async () => {
    const queue = "\u001B]0;owned\u0007\u001B[2J";
    const headers = {
      authorization: `Bearer ${cli.token}`,
      "content-type": "application/json",
    };
    const body = JSON.stringify({ name: queue });
    await fetch(`${cli.url}/v1/queues`, { method: "POST", headers, body });
    const env = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
    const watching = startSvcInTerminal(["queue", "list", "-w"], { env });
    await expect.poll(() => watching.said.out).toContain("owned");
    expect(watching.said.out).not.toContain("\u001B]0;");
    expect(watching.said.out).not.toContain("\u001B[2J");
  });
});
