import { describe, expect, test } from "vitest";
import { findWebhook } from "../../../broker/webhooks/queries.ts";
import { openSecrets } from "../../../broker/webhooks/secrets.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenWebhooksApi, webhooksPath as path } from "../../support/webhooks/webhooks-api.ts";

const { db, call, setup, broker } = await givenWebhooksApi();
const receiver = "https://example.com/hooks";
const all = { all_events: true };
/** Of 100 characters each, 103 in JSON. */
const longIds = (count: number, start = "i"): string[] =>
  Array.from({ length: count }, (_, n) => `${start}${n}`.padEnd(100, "x"));

describe("a new webhook", () => {
  test("gets all events of the org unless told, and says so", async () => {
    const { orgId, token, create } = await setup();
    const { status, body } = await create({ webhook_url: receiver });
    expect(status).toBe(201);
    const shown = { org_id: orgId, url: receiver, has_secret: false, interests: all, match: null };
    expect(body).toMatchObject(shown);
    expect((await call(`GET ${path}/${body.id}`, { token })).body).toEqual(body);
  });

  test("takes the other names of its members, but not both", async () => {
    const { create } = await setup();
    const made = await create({ url: receiver, secret: "hush" });
    expect(made).toMatchObject({ status: 201, body: { url: receiver, has_secret: true } });
    const twice = { url: receiver, webhook_url: receiver, secret: "a", webhook_secret: "a" };
    const { status, body } = await create(twice);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { pointer: "#/url", code: "given_twice" },
      { pointer: "#/secret", code: "given_twice" },
    ]);
  });

  test("has its interests and match in their one form", async () => {
    const { create } = await setup();
    const { body } = await create({
      url: receiver,
      interests: { resources: { runners: { ops: ["provision", "inactive", "provision"] } } },
      match: {
        installs: { ids: ["b", "a"], selector: { match_labels: { z: "*", env: "prod" } } },
        components: null,
        actions: null,
      },
    });
    expect(body.interests).toEqual({
      resources: {
        runners: {
          ops: ["inactive", "provision"],
          outcome: "all",
          approval_requests: false,
          approval_responses: false,
          drift_detected: false,
        },
      },
    });
    const labels = { env: "prod", z: "*" };
    const installs = { ids: ["a", "b"], selector: { match_labels: labels } };
    expect(body.match).toEqual({ installs });
  });

  test.each([
    ["ftp://example.com/", "invalid_url"],
    ["/hooks", "invalid_url"],
    ["https://", "invalid_url"],
    ["https://user:pass@example.com/", "invalid_url"],
    ["https://example.com/#here", "invalid_url"],
    [`https://example.com/${"x".repeat(2048)}`, "invalid_url"],
    ["", "too_small"],
    [undefined, "required"],
  ])("is refused the URL %j", async (given, code) => {
    const { create } = await setup();
    const { status, body } = await create({ webhook_url: given });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: "#/webhook_url", code }]);
  });

  test.each([
    [{ interests: {} }, "#/interests"],
    [{ interests: { all_events: false } }, "#/interests"],
    [{ interests: { resources: { planets: {} } } }, "#/interests/resources/planets"],
    [
      { interests: { resources: { runners: { ops: ["run"] } } } },
      "#/interests/resources/runners/ops/0",
    ],
    [{ match: { installs: { ids: [] } } }, "#/match/installs/ids"],
    [{ match: { installs: { selector: {} } } }, "#/match/installs/selector/match_labels"],
    [
      { match: { installs: { selector: { match_labels: {} } } } },
      "#/match/installs/selector/match_labels",
    ],
    [{ match: { runners: {} } }, "#/match/runners"],
    [{ secret: "" }, "#/secret"],
    [{ secret: "ü".repeat(129) }, "#/secret"],
  ])("is refused %j", async (given, pointer) => {
    const { create } = await setup();
    const { status, body } = await create({ webhook_url: receiver, ...given });
    expect(status).toBe(422);
    expect(body.errors?.map((one) => one.pointer)).toEqual([pointer]);
  });

  test("has a match of 16 KiB at most, without doubles", async () => {
    const { create } = await setup();
    const installs = { ids: longIds(170) };
    const { status, body } = await create({ url: receiver, match: { installs } });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: "#/match", code: "too_big" }]);
    const twice = { ids: [...longIds(155), ...longIds(155)] };
    expect((await create({ url: receiver, match: { installs: twice } })).status).toBe(201);
  });

  test("has a URL and match that no other of the org has, however they are written", async () => {
    const { create } = await setup();
    const prod = { installs: { ids: ["ins_1", "ins_2"] } };
    const { id: whole } = (await create({ url: receiver })).body;
    const { id: part } = (await create({ url: receiver, match: prod })).body;
    const again = { installs: { ids: ["ins_2", "ins_1", "ins_1"] } };
    for (const [body, webhook_id] of [
      [{ url: receiver, interests: { resources: {} } }, whole],
      [{ url: "HTTPS://EXAMPLE.com:443/hooks", match: {} }, whole],
      [{ url: receiver, match: again }, part],
    ] as const)
      expect(await create(body)).toMatchObject({
        status: 409,
        body: { code: "webhook_exists", webhook_id },
      });
    const other = await setup();
    expect((await other.create({ url: receiver })).status).toBe(201);
  });

  test("is refused to an org that has a thousand, also to two at once", async () => {
    const { orgId, create } = await setup();
    await db`
      insert into webhooks (id, org_id, url, url_key, interests, created_at, updated_at)
      select 'whk_' || lpad(n::text, 26, '0'), ${orgId}, 'http://x/' || n, 'http://x/' || n, '{"all_events":true}', svc_now(), svc_now()
        from generate_series(1, 999) n`;
    const made = await Promise.all(["a", "b"].map((end) => create({ url: `${receiver}/${end}` })));
    expect(made.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409"]);
    const refused = made.find(({ status }) => status === 409);
    expect(refused?.body.code).toBe("too_many_webhooks");
  });
});

describe("a change", () => {
  test("replaces interests and match as a whole, and leaves what it does not name", async () => {
    const { create, patch } = await setup();
    const first = await create({ url: receiver, secret: "s", match: { installs: {} } });
    const { id } = first.body;
    const interests = { resources: { runners: {} } };
    const changed = await patch(id, { interests });
    const silent = { ops: [], outcome: "all", drift_detected: false };
    const flags = { approval_requests: false, approval_responses: false };
    expect(changed.body).toMatchObject({ has_secret: true, match: { installs: {} } });
    expect(changed.body.interests).toEqual({ resources: { runners: { ...silent, ...flags } } });
    const moved = await patch(id, { match: { actions: { ids: ["act_1"] } } });
    expect(moved.body.match).toEqual({ actions: { ids: ["act_1"] } });
    expect((await patch(id, { match: null })).body.match).toBeNull();
    expect((await patch(id, {})).body.match).toBeNull();
  });

  test("is refused where another webhook has that match, and changes nothing", async () => {
    const { create, patch, token } = await setup();
    await create({ url: receiver });
    const { id } = (await create({ url: receiver, match: { installs: {} } })).body;
    const clash = { match: {}, interests: { resources: {} } };
    expect(await patch(id, clash)).toMatchObject({ status: 409, body: { code: "webhook_exists" } });
    const { body } = await call(`GET ${path}/${id}`, { token });
    expect(body).toMatchObject({ match: { installs: {} }, interests: all });
  });

  test.each([
    [{ url: "https://other.example/" }, "#/url", "immutable_field"],
    [{ webhook_url: receiver }, "#/webhook_url", "immutable_field"],
    [{ webhook_secret: "" }, "#/webhook_secret", "too_small"],
    [{ has_secret: false }, "#/has_secret", "unknown_member"],
  ])("of %j is refused", async (given, pointer, code) => {
    const { create, patch } = await setup();
    const { id } = (await create({ url: receiver })).body;
    const { status, body } = await patch(id, given);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer, code }]);
  });

  test("of the secret keeps the former one for a day", async () => {
    const { create, patch, token } = await setup();
    const { id } = (await create({ url: receiver, secret: "first" })).body;
    const rotated = await patch(id, { webhook_secret: "second" });
    expect(rotated.body).toMatchObject({
      has_secret: true,
      previous_secret_until: expect.any(String) as unknown,
    });
    await advanceClock(db, "25 hours");
    const { body } = await call(`GET ${path}/${id}`, { token });
    expect(body).toMatchObject({ has_secret: true, previous_secret_until: null });
    const first = (await create({ url: `${receiver}/2` })).body;
    const given = await patch(first.id, { webhook_secret: "only" });
    expect(given.body).toMatchObject({ has_secret: true, previous_secret_until: null });
  });

  test("of the secret to the same one is none, also when two come at once", async () => {
    const { orgId, create, patch } = await setup();
    const { id } = (await create({ url: receiver, secret: "first" })).body;
    expect((await patch(id, { secret: "first" })).body.previous_secret_until).toBeNull();
    const body = { secret: "second" };
    const answers = await Promise.all([patch(id, body), patch(id, body), patch(id, body)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { previous_secret_until: end } = answers[0].body;
    await advanceClock(db, "1 hour");
    expect((await patch(id, body)).body.previous_secret_until).toBe(end);
    const row = await findWebhook(db, orgId, id);
    if (row === undefined) throw new Error("There is no webhook.");
    const secrets = openSecrets(broker.seals, { orgId, id }, row);
    expect(secrets).toEqual({ secret: "second", previousSecret: "first" });
  });
});

describe("the webhooks of an org", () => {
  test("have at most 4 MiB of interests and matches, also of two at once; what shrinks is taken", async () => {
    const { orgId, create, patch } = await setup();
    const match = JSON.stringify({ installs: { ids: longIds(155) } });
    await db`
      insert into webhooks (id, org_id, url, url_key, interests, match, created_at, updated_at)
      select 'whk_' || lpad(n::text, 26, '0'), ${orgId}, 'http://x/' || n, 'http://x/' || n, '{"all_events":true}', ${match}, svc_now(), svc_now()
        from generate_series(1, ${Math.floor((4 * 2 ** 20) / (match.length + 19)) - 1}) n`;
    const large = (end: string) => ({ installs: { ids: longIds(155, end) } });
    const refused = { status: 409, body: { code: "webhooks_too_large" } };
    const made = await Promise.all(
      ["a", "b"].map((end) => create({ url: receiver, match: large(end) })),
    );
    expect(made.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409"]);
    expect(made.find(({ status }) => status === 409)).toMatchObject(refused);
    const { body: small } = await create({ url: receiver });
    expect(small.match).toBeNull();
    expect(await patch(small.id, { match: large("c") })).toMatchObject(refused);
    const first = `whk_${"1".padStart(26, "0")}`;
    expect((await patch(first, { match: null })).status).toBe(200);
    expect((await patch(small.id, { match: large("c") })).status).toBe(200);
  });
});
