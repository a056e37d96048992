import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../broker/database/new-id.ts";
import { startBroker, type TestBroker } from "../support/broker/broker.ts";
import { type TestDatabase, testDatabase } from "../support/database/database.ts";
import { type GivenLog, givenLog, type Line } from "../support/logs/given-logs.ts";
import { tcpProxy } from "../support/network/tcp-proxy.ts";
import { startSvc, svc } from "../support/programs/svc.ts";

let database: TestDatabase;
let broker: TestBroker;
beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({ url: database.url, env: { SVC_RATE_TOKEN_PER_S: "0" } });
});

const setup = async () => await givenLog(database, broker);
const envOf = ({ admin }: GivenLog, url = broker.url) => ({ SVC_URL: url, SVC_TOKEN: admin });
const numbered = (count: number, from = 1): Line[] =>
  Array.from({ length: count }, (_, at) => ({ body: `line ${from + at}`, seq: from + at }));
const textOf = (lines: readonly Line[]): string => lines.map(({ body }) => `${body}\n`).join("");

async function run(log: GivenLog, ...words: string[]) {
  return await svc(["log", ...words], { env: envOf(log) });
}

describe("svc log show", () => {
  test("shows a job's whole log by the job's id or the stream's", async () => {
    const log = await setup();
    await log.write([
      { body: "plan", step: "plan" },
      { body: "broke", step: "apply", severity: 17 },
    ]);
    const shown = await run(log, "show", log.jobId, "--no-timestamps");
    expect(shown).toMatchObject({ code: 0, out: "[plan] plan\n[apply] ERROR broke\n" });
    expect((await run(log, "show", log.streamId, "--no-timestamps")).out).toBe(shown.out);
    expect((await run(log, "show", log.jobId)).out).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]{12}Z \[plan\]/,
    );
  });

  test("narrows by time, step and severity", async () => {
    const log = await setup();
    const hourAgo = Date.now() - 3_600_000;
    await log.write([
      { body: "old", atMs: hourAgo, step: "apply" },
      { body: "new", step: "apply" },
      { body: "bad", step: "plan", severity: 21 },
    ]);
    const bodies = async (...flags: string[]) =>
      (await run(log, "show", log.jobId, "--raw", ...flags)).out.split("\n").slice(0, -1);
    expect(await bodies("--since", "10m")).toEqual(["new", "bad"]);
    expect(await bodies("--until", new Date(hourAgo + 1000).toISOString())).toEqual(["old"]);
    expect(await bodies("--step", "apply")).toEqual(["old", "new"]);
    expect(await bodies("--severity", "error")).toEqual(["bad"]);
  });

  test("gives records as JSON and as what they hold", async () => {
    const log = await setup();
    await log.write(["\u001b[31mred\u001b[0m ✓"]);
    const { out } = await run(log, "show", log.jobId, "-o", "ndjson");
    expect(JSON.parse(out)).toMatchObject({ cursor: "1", body: "\u001b[31mred\u001b[0m ✓" });
    expect((await run(log, "show", log.jobId, "--no-timestamps")).out).toBe("red ✓\n");
    expect((await run(log, "show", log.jobId, "--raw")).out).toBe("\u001b[31mred\u001b[0m ✓\n");
  });

  test("says what is wrong", async () => {
    const log = await setup();
    expect((await run(log, "show", "nonsense")).code).toBe(2);
    expect((await run(log, "show", log.jobId, "--since", "yesterday")).code).toBe(2);
    expect((await run(log, "show", newId("job"))).code).toBe(3);
    const nothing = await run(log, "show", log.jobId);
    expect(nothing).toMatchObject({ code: 0, out: "" });
    expect(nothing.err).toContain("No log records found.");
  });
});

describe("svc log search", () => {
  test("finds text in either case, and says by its exit code when there is none", async () => {
    const log = await setup();
    await log.write(["Access DENIED for x", "fine"]);
    const found = await run(log, "search", log.jobId, "denied", "--raw");
    expect(found).toMatchObject({ code: 0, out: "Access DENIED for x\n" });
    expect((await run(log, "search", log.jobId, "nowhere")).code).toBe(1);
  });
});

describe("svc log tail", () => {
  test("shows the end of a log", async () => {
    const log = await setup();
    await log.write(numbered(1200));
    expect((await run(log, "tail", log.jobId, "--tail", "2", "--raw")).out).toBe(
      textOf(numbered(2, 1199)),
    );
    expect((await run(log, "tail", log.jobId, "--tail", "1100", "--raw")).out).toBe(
      textOf(numbered(1100, 101)),
    );
    expect((await run(log, "tail", "-f", log.jobId, "--tail", "1001")).code).toBe(2);
  });

  test("begins with all since a time, followed or not, however many these are", async () => {
    const log = await setup();
    const hourAgo = Date.now() - 3_600_000;
    await log.write(numbered(5).map((line) => ({ ...line, atMs: hourAgo })));
    await log.write(numbered(150, 6));
    const recent = textOf(numbered(150, 6));
    const tail = ["tail", log.jobId, "--raw", "--since"];
    expect((await run(log, ...tail, "10m")).out).toBe(recent);
    expect((await run(log, ...tail, new Date(hourAgo + 1000).toISOString())).out).toBe(recent);
    expect((await run(log, ...tail, "10m", "--tail", "2")).out).toBe(textOf(numbered(2, 154)));
    const following = startSvc(["log", ...tail, "10m", "-f"], { env: envOf(log) });
    await expect.poll(() => following.said.out).toBe(recent);
    await log.write(numbered(1, 156));
    await log.close();
    expect(await following.ended).toMatchObject({ code: 0, out: textOf(numbered(151, 6)) });
    expect(await run(log, ...tail, "yesterday")).toMatchObject({ code: 2, out: "" });
  });

  test("follows across broken connections to the end of the log", async () => {
    const log = await setup();
    await log.write(numbered(3));
    const proxy = await tcpProxy(broker.url);
    const env = envOf(log, proxy.url);
    const tailing = startSvc(["log", "tail", "-f", log.jobId, "--raw"], { env });
    await expect.poll(() => tailing.said.out).toBe(textOf(numbered(3)));
    proxy.cut("/logs/tail");
    await log.write(numbered(2, 4));
    await expect.poll(() => tailing.said.out).toBe(textOf(numbered(5)));
    await log.write(numbered(1, 6));
    await log.close();
    expect(await tailing.ended).toMatchObject({ code: 0, out: textOf(numbered(6)), err: "" });
  });

  test("ends at Ctrl-C with 130, and quietly when nobody reads it any more", async () => {
    const log = await setup();
    await log.write(numbered(1));
    const follow = () => startSvc(["log", "tail", "-f", log.jobId, "--raw"], { env: envOf(log) });
    const [interrupted, left] = [follow(), follow()];
    for (const { said } of [interrupted, left]) {
      await expect.poll(() => said.out).toBe("line 1\n");
    }
    interrupted.kill("SIGINT");
    expect(await interrupted.ended).toEqual({ code: 130, out: "line 1\n", err: "" });
    left.stopReading();
    await log.write(numbered(2, 2));
    expect(await left.ended).toMatchObject({ code: 0, err: "" });
  });

  test("of a log that has ended ends at once; of nobody's is not found", async () => {
    const log = await setup();
    await log.write(numbered(1));
    await log.close();
    expect(await run(log, "tail", "-f", log.jobId, "--raw")).toMatchObject({
      code: 0,
      out: textOf(numbered(1)),
    });
    const other = await setup();
    const refused = await svc(["log", "tail", "-f", log.jobId], { env: envOf(other) });
    expect(refused).toMatchObject({ code: 3, out: "" });
  });
});
