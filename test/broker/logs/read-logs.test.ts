import { describe, expect, test } from "vitest";
import type { LogStream } from "../../../shared/api/log-streams.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog, type Line } from "../../support/logs/given-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });
const { call } = broker;
const setup = async () => await givenLog(database, broker);

const numbered = (count: number, from = 1): Line[] =>
  Array.from({ length: count }, (_, at) => ({ body: `line ${from + at}`, seq: from + at }));
const bodies = (items: readonly { body: string }[]): string[] => items.map(({ body }) => body);

describe("a log stream", () => {
  test("is read before anything was written to it, and after", async () => {
    const { admin, path, jobId, orgId, write } = await setup();
    const before = await call<LogStream>(`GET ${path}`, { token: admin });
    expect(before).toMatchObject({
      status: 200,
      body: { owner_id: jobId, owner_type: "runner_jobs", org_id: orgId, open: true, records: 0 },
    });
    await write(numbered(3));
    const after = await call<LogStream>(`GET ${path}`, { token: admin });
    expect(after.body).toMatchObject({ records: 3, end_cursor: "4", missing_records: 0 });
    expect(after.body).not.toHaveProperty("write_token"); // docs/decisions/0011
  });

  test("is nobody's to another org, nor to another runner", async () => {
    const [ours, theirs] = [await setup(), await setup()];
    await ours.write(["secret"]);
    const colleague = await givenToken(db, await givenRunner(db, { orgId: ours.orgId }));
    for (const token of [theirs.admin, theirs.token, colleague]) {
      for (const path of [ours.path, `${ours.path}/logs`, `${ours.path}/logs/tail`]) {
        expect(await call(`GET ${path}`, { token })).toMatchObject({
          status: 404,
          body: { code: "log_stream_not_found" },
        });
      }
    }
    expect((await call(`GET ${ours.path}/logs`, { token: ours.token })).status).toBe(200);
  });

  test("is listed by its owner", async () => {
    const { admin, jobId, streamId, write } = await setup();
    const list = async (query: string) =>
      (
        await call<{ items: LogStream[] }>(`GET /v1/log-streams${query}`, { token: admin })
      ).body.items.map(({ id }) => id);
    expect(await list("")).toEqual([]);
    expect(await list(`?owner_id=${jobId}`)).toEqual([streamId]);
    const past = `GET /v1/log-streams?owner_id=${jobId}&offset=1`;
    expect((await call(past, { token: admin })).body).toEqual([]);
    await write(["a"]);
    expect(await list("")).toEqual([streamId]);
    expect(await list(`?owner_id=${jobId}&owner_type=runner_jobs`)).toEqual([streamId]);
    expect(await list(`?owner_id=${jobId}&owner_type=installs`)).toEqual([]);
  });
});

describe("records", () => {
  test("are read page by page, and the cursor goes on as the stream grows, to its close", async () => {
    const { write, read, close } = await setup();
    await write(numbered(5));
    const first = (await read("?limit=3")).body;
    expect(bodies(first.items)).toEqual(["line 1", "line 2", "line 3"]);
    const second = (await read(`?limit=3&cursor=${first.next_cursor}`)).body;
    expect(bodies(second.items)).toEqual(["line 4", "line 5"]);
    await write(numbered(1, 6));
    const third = (await read(`?cursor=${second.next_cursor}`)).body;
    expect(bodies(third.items)).toEqual(["line 6"]);
    await close();
    const last = (await read(`?cursor=${third.next_cursor}`)).body;
    expect(last).toMatchObject({ items: [], next_cursor: null });
  });

  test("are read backwards from the end", async () => {
    const { write, read } = await setup();
    for (let n = 0; n < 10; n++) await write(numbered(2, 1 + n * 2));
    const last = (await read("?direction=backward&limit=3")).body;
    expect(bodies(last.items)).toEqual(["line 18", "line 19", "line 20"]);
    const before = (await read(`?direction=backward&limit=16&cursor=${last.previous_cursor}`)).body;
    expect(bodies(before.items)).toEqual(bodies(numbered(16, 2)));
    const start = (await read(`?direction=backward&limit=9&cursor=${before.previous_cursor}`)).body;
    expect(start).toMatchObject({ items: [{ body: "line 1" }], previous_cursor: null });
  });

  test("show what is missing among them, and lose that when it comes", async () => {
    const { admin, path, write, read } = await setup();
    await write(numbered(2));
    await write(numbered(2, 6));
    const shown = (await read()).body.items;
    expect(shown.map(({ notice = "", body }) => notice || body)).toEqual([
      "line 1",
      "line 2",
      "missing",
      "line 6",
      "line 7",
    ]);
    expect(shown[2]?.body).toContain("3 records are missing here");
    expect((await call(`GET ${path}`, { token: admin })).body).toMatchObject({
      missing_records: 3,
    });
    const backward = (await read("?direction=backward&limit=3")).body;
    expect(bodies(backward.items).slice(1)).toEqual(["line 6", "line 7"]);
    expect(backward.items[0]?.notice).toBe("missing");
    await write(numbered(3, 3));
    expect(bodies((await read()).body.items)).toEqual(bodies(numbered(7)));
  });

  test("come out whole, whatever they hold", async () => {
    const { write, read, readText } = await setup();
    const odd = [
      "\u001b[31mred\u001b[0m",
      "größe ✓ 🙂",
      "two\nlines",
      'a "quote" \\ and \t',
      "",
      "\u2028",
    ];
    await write([...odd, "nul \0 here"]);
    expect(bodies((await read()).body.items)).toEqual([...odd, "nul \u2400 here"]);
    const text = await readText("text/plain", "?timestamps=false");
    expect(text).toBe([...odd, "nul \u2400 here", ""].join("\n"));
  });

  test("come as NDJSON and as text, all of them, whichever the client asks first for", async () => {
    const { write, readText } = await setup();
    const atMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    await write(numbered(2500).map((line) => ({ ...line, atMs })));
    const lines = (await readText("application/x-ndjson, application/json;q=0.5")).trimEnd();
    expect(lines.split("\n").map((line) => (JSON.parse(line) as Line).body)).toEqual(
      bodies(numbered(2500)),
    );
    const text = await readText("text/plain", "?limit=2");
    expect(text).toBe("2026-01-02T03:04:05.006Z line 1\n2026-01-02T03:04:05.006Z line 2\n");
    const last = await readText("text/plain", "?direction=backward&limit=1&timestamps=false");
    expect(last).toBe("line 2500\n");
  });

  test.each([
    ["cursor=abc", "?cursor", "invalid_cursor"],
    ["cursor=-1", "?cursor", "invalid_cursor"],
    ["since=yesterday", "?since", "invalid_format"],
    ["severity=loud", "?severity", "invalid_value"],
    ["limit=0", "?limit", "too_small"],
    ["direction=up", "?direction", "invalid_value"],
  ])("are refused for %s with its place", async (query, pointer, code) => {
    const { read } = await setup();
    expect(await read(`?${query}`)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, code }] },
    });
  });
});
