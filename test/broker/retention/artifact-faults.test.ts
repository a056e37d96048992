import { expect, test } from "vitest";
import { setRegistryLogin } from "../../../broker/registry/keep-registry-logins.ts";
import { findRefusal } from "../../../broker/retention/registry-refusals.ts";
import { deletes, givenDueArtifacts } from "../../support/registry/given-due-artifacts.ts";
import { startScripted } from "../../support/registry/scripted-registry.ts";

const { db, broker, host, seen, script, givenDue, run, pass, faults, asked } =
  await givenDueArtifacts();
const unknown = { status: 404, body: { errors: [{ code: "MANIFEST_UNKNOWN" }] } };

test.each([
  ["answers 500", { status: 500 }, "The registry answered 500."],
  ["asks for patience", { status: 429 }, "The registry answered 429."],
  ["hangs up", "cut", `${host} closed the connection without an answer.`],
  ["keeps silent", "hang", `${host} did not answer in time.`],
] as const)(
  "a registry that %s is asked a few times, and again later",
  async (_, answer, words) => {
    const orgs = [];
    for (let n = 0; n < 5; n++) orgs.push(await givenDue());
    script.answer = () => answer;
    expect(await run("none", { timeoutMs: 300 })).toEqual({ later: 3 });
    expect((await faults()).filter((fault) => fault === words)).toHaveLength(3);
    for (const one of orgs) expect(Object.values(await one.fates())).toEqual(["deleting", "stays"]);
    script.answer = deletes;
    expect(await run()).toEqual({ deleted: 2 }); // the others wait for their time
    expect(await run()).toEqual({});
    await pass();
    expect(await run()).toEqual({ deleted: 3 });
  },
);

test("a repository at which the registry fails holds up nobody else", async () => {
  const [broken, well] = [await givenDue(6), await givenDue(6)];
  script.answer = (one) => (one.path.includes(broken.orgId) ? { status: 500 } : deletes(one));
  await run();
  expect(Object.values(await well.fates())).toEqual(["stays"]);
  expect(Object.values(await broken.fates()).filter((fate) => fate === "deleting")).toHaveLength(6);
});

test.each([
  ["405", { status: 405, body: { errors: [{ code: "UNSUPPORTED" }] } }],
  ["400 as unsupported", { status: 400, body: { errors: [{ code: "UNSUPPORTED" }] } }],
])(
  "a registry that answers deletes with %s is asked again after a day, and after eight days builds go",
  async (_, answer) => {
    const one = await givenDue(3);
    script.answer = (what) => (what.method === "DELETE" ? answer : deletes(what));
    expect(await run()).toEqual({ unsupported: 3 });
    expect(asked("DELETE")).toHaveLength(2); // its tag and its digest, of the first
    expect(await findRefusal(db, one.orgId, host)).toEqual({
      reason: "unsupported",
      detail: "The registry does not delete manifests.",
    });
    seen.length = 0;
    await pass();
    for (let day = 2; day < 8; day++) {
      expect(await run()).toEqual({ unsupported: 3 });
      expect(Object.values(await one.fates())).toContain("deleting");
      await pass();
    }
    const other = await givenDue(1);
    expect(await run()).toEqual({ unsupported: 4 });
    expect(Object.values(await one.fates())).toEqual(["stays"]);
    expect(seen).toEqual([]);
    await db`update registry_refusals set refused_at = svc_now() - interval '25 hours'`;
    script.answer = deletes;
    await pass();
    expect(await run()).toEqual({ deleted: 1 });
    expect(Object.values(await other.fates())).toEqual(["stays"]);
    expect(await db`select from registry_refusals`).toHaveLength(0);
  },
);

test.each([
  ["what is there", "HEAD"],
  ["deletes", "DELETE"],
])(
  "a 404 that is no registry's, for %s, is no answer: it is asked again, and again",
  async (_, method) => {
    const one = await givenDue();
    const proxy = { status: 404, body: { message: "no route" } };
    script.answer = (what) =>
      what.method === "GET" || what.method === method ? proxy : deletes(what);
    for (let n = 0; n < 10; n++) {
      expect(await run()).toEqual({ later: 1 });
      expect(Object.values(await one.fates())).toEqual(["deleting", "stays"]);
      await pass();
    }
    expect(await faults()).toEqual(["It was answered 404, but not as a registry does."]);
    expect(await findRefusal(db, one.orgId, host)).toBeUndefined();
    script.answer = (what) => (what.method === "HEAD" ? { status: 404 } : unknown);
    expect(await run()).toEqual({ gone: 1 });
  },
);

test("what a registry refuses to one org is told to that one alone, until it deletes there", async () => {
  const [one, other] = [await givenDue(2), await givenDue()];
  script.answer = (what) => (what.path.includes(one.orgId) ? { status: 403 } : deletes(what));
  expect(await run()).toEqual({ later: 2, deleted: 1 });
  expect(await findRefusal(db, other.orgId, host)).toBeUndefined();
  expect(await findRefusal(db, one.orgId, host)).toEqual({
    reason: "refused",
    detail: "The registry answered 403.",
  });
  script.answer = deletes;
  await pass();
  expect(await run()).toEqual({ deleted: 2 });
  expect(await findRefusal(db, one.orgId, host)).toBeUndefined();
});

test("who may not delete asks eight times, and leaves the artifact; with the broker's own token for ever", async () => {
  const one = await givenDue();
  script.answer = () => ({ status: 401 });
  for (let n = 0; n < 7; n++) {
    expect(await run()).toEqual({ later: 1 });
    await pass();
  }
  expect((await findRefusal(db, one.orgId, host))?.reason).toBe("refused");
  expect(Object.values(await one.fates())).toEqual(["deleting", "stays"]);
  expect(await run()).toEqual({ later: 1 });
  expect(Object.values(await one.fates())).toEqual(["stays"]);
  const other = await givenDue();
  for (let n = 0; n < 9; n++) {
    await run("token");
    await pass();
  }
  expect(Object.values(await other.fates())).toEqual(["deleting", "stays"]);
});

test("the broker's own token opens one repository, to read and to delete, for five minutes", async () => {
  const one = await givenDue();
  await run("token");
  const [, claims = ""] = (seen[0]?.headers.authorization ?? "").split(".");
  const read = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
  expect(read).toMatchObject({
    aud: host,
    access: [
      {
        type: "repository",
        name: one.repository.slice(host.length + 1),
        actions: ["pull", "delete"],
      },
    ],
  });
  expect(Number(read["exp"]) - Number(read["nbf"])).toBe(300);
});

test("an org's own login is told to who asks for it, by its challenge, and to nobody else without TLS", async () => {
  const one = await givenDue(2);
  const login = { use: "push", username: "acme", password: "of-acme" } as const;
  await setRegistryLogin(broker, { orgId: one.orgId, id: "acc_1" }, login);
  const basic = `Basic ${Buffer.from("acme:of-acme").toString("base64")}`;
  const elsewhere = await startScripted(() => ({ status: 200, body: { token: "stolen" } }));
  let challenge = `Bearer realm="http://${elsewhere.host}/token",service="x"`;
  script.answer = (what) => {
    if (what.path.startsWith("/token?")) return { status: 200, body: { token: "made" } };
    const { authorization } = what.headers;
    if (authorization === "Bearer made" || authorization === basic) return deletes(what);
    return { status: 401, headers: { "www-authenticate": challenge } };
  };
  expect(await run("fixed")).toEqual({ later: 2 });
  expect(elsewhere.seen).toEqual([]);
  challenge = `Bearer realm="http://${host}/token",service="registry"`;
  await db`update artifact_deletions set due_at = svc_now() where build_id = (select min(build_id) from artifact_deletions)`;
  expect(await run("fixed")).toEqual({ deleted: 1 });
  const exchange = seen.find(({ path }) => path.startsWith("/token?"));
  expect(exchange?.headers.authorization).toBe(basic);
  expect(exchange?.path).toContain("service=registry");
  challenge = 'Basic realm="x"';
  await pass();
  expect(await run("fixed")).toEqual({ deleted: 1 });
});

test("a redirect is not followed", async () => {
  await givenDue();
  const inside = await startScripted(() => ({ status: 200 }));
  script.answer = () => ({ status: 307, headers: { location: `http://${inside.host}/` } });
  expect(await run()).toEqual({ later: 1 });
  expect(inside.seen).toEqual([]);
});
