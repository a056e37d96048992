import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { isDatabaseAway } from "../../../broker/database/database-errors.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { givenResults, noise } from "../../support/broker/given-results.ts";

const { db, url, broker, setup } = await givenResults();
const mebibyte = 1024 * 1024;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a large result", () => {
  test("is stored as it came, whole, and again is the same one", async () => {
    const at = await setup();
    const contents = { note: 'said "so"', pad: "x".repeat(100_000), tail: "ä\\n" };
    const body = {
      success: true,
      error_metadata: { why: "y".repeat(20_000) },
      contents,
      contents_display: "z".repeat(40_000),
      contents_compressed: noise(6 * mebibyte)
        .replaceAll("+", "-")
        .replaceAll("/", "_"),
    };
    const sent = { token: at.token, body };
    expect((await broker.call(`POST ${at.execution}/result`, sent)).status).toBe(201);
    expect((await broker.call(`POST ${at.execution}/result`, sent)).status).toBe(201);
    const { body: read } = await broker.call(`GET ${at.execution}/result`, { token: at.admin });
    expect(read).toMatchObject({
      success: true,
      error_metadata: body.error_metadata,
      contents: JSON.stringify(contents),
      contents_display: body.contents_display,
    });
    const standard = body.contents_compressed.replaceAll("-", "+").replaceAll("_", "/");
    expect(sha256(String(read["contents_gzip"]))).toBe(sha256(standard));
    const shown = await broker.call(`GET ${at.execution}`, { token: at.admin });
    expect(shown.body["evidence"]).toEqual([]);
    const [left] = await db`select count(*)::int as n from sent_pieces`;
    expect(left).toEqual({ n: 0 });
  });

  test("ends its execution with its outputs in one call, and another result is evidence", async () => {
    const at = await setup();
    const result = { success: true, contents_compressed: noise(400_000) };
    const outputs = { list: ["o".repeat(300_000)], n: 1 };
    const ended = await broker.call(`POST ${at.execution}/finish`, {
      token: at.token,
      body: { status: "finished", result, outputs },
    });
    expect(ended).toMatchObject({ status: 200, body: { job_status: "finished" } });
    const { body } = await broker.call(`GET ${at.execution}`, { token: at.admin });
    expect(body).toMatchObject({ outputs: { outputs }, evidence: [] });
    const other = { success: false, contents_compressed: noise(400_000) };
    const late = await broker.call(`POST ${at.execution}/result`, { token: at.token, body: other });
    expect(late.status).toBe(201);
    const shown = await broker.call(`GET ${at.execution}`, { token: at.admin });
    const gzip = { contents_gzip: other.contents_compressed };
    expect(shown.body["evidence"]).toMatchObject([{ kind: "result", body: gzip }]);
  });

  test("comes with other outputs than before: they are evidence, as they came", async () => {
    const at = await setup();
    const post = (outputs: object) =>
      broker.call(`POST ${at.execution}/outputs`, { token: at.token, body: { outputs } });
    const [first, other] = [{ a: noise(400_000) }, { a: noise(400_000) }];
    expect(await post(first)).toMatchObject({ status: 201, body: { outputs: first } });
    expect((await post(first)).status).toBe(201);
    expect((await post(other)).status).toBe(201);
    const shown = await broker.call(`GET ${at.execution}`, { token: at.admin });
    expect(shown.body).toMatchObject({
      outputs: { outputs: first },
      evidence: [{ kind: "outputs", body: other }],
    });
  });

  test("of which a piece is not there any more is refused whole, to be sent again", async () => {
    const { orgId } = await setup();
    const taken = (bytes: number) =>
      db`select length(sent_bytes(${orgId}, row('upl_1', ${bytes}::int)::sent_upload)) as n`;
    await db`
      insert into sent_pieces (upload_id, n, org_id, body)
      values ('upl_1', 1, ${orgId}, '\\x02'), ('upl_1', 0, ${orgId}, '\\x0001')`;
    expect(await taken(3)).toEqual([{ n: 3 }]);
    await db`delete from sent_pieces where n = 1`;
    const refused = await taken(3).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "57P02" });
    expect(isDatabaseAway(refused)).toBe(true);
  });

  test("is refused as a small one is: each wrong member is named", async () => {
    const at = await setup();
    const padding = "x".repeat(300_000);
    const wrong = [
      [{ contents_compressed: `${padding}!` }, "#/contents_compressed"],
      [{ contents: padding, error_code: "none" }, "#/error_code"],
      [{ contents: padding, contents_display: "\0" }, "#/contents_display"],
    ] as const;
    for (const [body, pointer] of wrong) {
      const refused = await broker.call(`POST ${at.execution}/result`, { token: at.token, body });
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    }
    for (const body of [`{"contents":"${padding}`, `{"contents":"${padding}\n"}`]) {
      const refused = await broker.call(`POST ${at.execution}/result`, { token: at.token, body });
      expect(refused).toMatchObject({ status: 400, body: { code: "malformed_json" } });
    }
  });
});

describe("a large plan", () => {
  test("is handed out byte for byte, however it was written", async () => {
    const at = await setup();
    const text = `{ "terraform":\t{"vars": {"a":"${"v".repeat(50_000)}", "b": "\\u00e9\\n${"w".repeat(30_000)}"}},
      "apply_plan_contents" : "${noise(3 * mebibyte)}", "n": 1.0 , "é": [1,  2] }`;
    const made = await at.enqueue(text, { "idempotency-key": at.runnerId });
    expect(made.status).toBe(201);
    const again = await at.enqueue(text, { "idempotency-key": at.runnerId });
    expect(again.body.id).toBe(made.body.id);
    expect((await at.enqueue(`${text} `, { "idempotency-key": at.runnerId })).status).toBe(201);
    const other = text.replace("v", "u");
    expect((await at.enqueue(other, { "idempotency-key": at.runnerId })).status).toBe(422);
    const headers = { authorization: `Bearer ${at.admin}` };
    for (const path of [
      `/v1/runner-jobs/${made.body.id}/plan`,
      `/v1/runners/${at.runnerId}/jobs/${made.body.id}/plan`,
    ]) {
      const read = await fetch(broker.url + path, { headers });
      expect(read.headers.get("content-type")).toMatch(/^text\/plain/);
      expect(await read.text()).toBe(text);
    }
  });

  test("comes with its claim byte for byte, beside small ones", async () => {
    const at = await setup();
    const plans = [`{"a":  "${noise(2 * mebibyte)}"}`, '{"b": 1 }', `{"c":"${noise(mebibyte)}" }`];
    const ids: string[] = [];
    for (const text of plans) ids.push((await at.enqueue(text)).body.id);
    await broker.call(`POST ${at.execution}/finish`, {
      token: at.token,
      body: { status: "finished", result: { success: true } },
    });
    const claims = `${broker.url}/v1/runners/${at.runnerId}/jobs/claim`;
    const headers = { authorization: `Bearer ${at.token}`, "content-type": "application/json" };
    for (const [nth, plan] of plans.entries()) {
      const body = JSON.stringify({ process_id: at.processId, groups: { deploy: 1 } });
      const answer = await fetch(claims, { method: "POST", headers, body });
      const text = await answer.text();
      const claimed = JSON.parse(text) as {
        jobs: { job: { id: string }; execution: { id: string } }[];
      };
      expect(claimed).toMatchObject({ jobs: [{ job: { id: ids[nth] } }], orders: [] });
      expect(text).toContain(`"plan":${plan}}`);
      const path = `/v1/runner-jobs/${ids[nth]}/executions/${claimed.jobs[0]?.execution.id}`;
      const result = { success: true };
      const sent = { token: at.token, body: { status: "finished", result } };
      expect((await broker.call(`POST ${path}/finish`, sent)).status).toBe(200);
    }
  });

  test("that was changed in the database is refused before its first byte", async () => {
    const at = await setup();
    const made = await at.enqueue(JSON.stringify({ a: noise(mebibyte) }));
    await db`
      update runner_job_plans set contents = set_byte(contents, 900000, 255 - get_byte(contents, 900000))
       where runner_job_id = ${made.body.id}`;
    const read = await broker.call(`GET /v1/runner-jobs/${made.body.id}/plan`, { token: at.admin });
    expect(read).toMatchObject({ status: 503, body: { code: "seal_broken" } });
  });

  test("is checked as a small one is", async () => {
    const at = await setup();
    const pad = JSON.stringify("p".repeat(300_000));
    for (const [text, status] of [
      [`{"pad":${pad},"terraform":7}`, 422],
      [`{"pad":${pad},"pad":1}`, 400],
      [`{"pad":${pad},"nul":"\\u0000"}`, 422],
    ] as const) {
      expect((await at.enqueue(text)).status).toBe(status);
    }
  });
});

describe("room for large bodies", () => {
  test("is a share of each org: one that holds its own keeps nobody else back, and is told which bound it met", async () => {
    const small = await startBroker({ url, env: { SVC_BODIES_MIB: "4", SVC_BODIES_ORG_MIB: "2" } });
    const [at, other] = [await setup(), await setup()];
    const text = JSON.stringify({ success: true, contents_compressed: noise(mebibyte) });
    const sync = { path: `/v1/apps/${newId("app")}/configs/sync`, token: at.admin };
    const result = { path: `${at.execution}/result`, token: at.token };
    const bytes = async (of: string) => {
      const { body } = await small.call<string>("GET /metrics");
      return Number(new RegExp(`^svc_bodies_bytes\\{of="${of}"\\} (\\d+)$`, "m").exec(body)?.[1]);
    };
    const config = hold(small.url, sync);
    await expect.poll(() => bytes("configs")).toBe(1_500_000);
    const stored = await small.call(`POST ${result.path}`, { token: at.token, body: text });
    expect(stored.status).toBe(201); // configs have memory of their own
    const held = [config, hold(small.url, result), hold(small.url, result)];
    await expect.poll(() => bytes("in")).toBe(1_500_000);
    const waits = small.call(`POST ${at.execution}/result`, { token: at.token, body: text });
    const goesPast = await small.call(`POST ${other.execution}/result`, {
      token: other.token,
      body: text,
    });
    expect(goesPast.status).toBe(201);
    for (const socket of held) socket.destroy(); // what is broken off gives its room back
    expect((await waits).status).toBe(201);
    await expect.poll(() => bytes("in")).toBe(0);
  });

  /** A body that is announced and never comes. */
  function hold(at: string, { path, token }: { path: string; token: string }): Socket {
    const { hostname, port } = new URL(at);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {}); // it is broken off in the end
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: 1500000\r\n\r\n{`,
    );
    return socket;
  }
});
