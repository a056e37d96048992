import { beforeEach, expect, test } from "vitest";
import { setRegistryLogin } from "../../../broker/registry/keep-registry-logins.ts";
import { findRefusal } from "../../../broker/retention/artifact-deletions.ts";
import { deleteArtifacts } from "../../../broker/retention/delete-artifacts.ts";
import { tidyBuilds } from "../../../broker/retention/tidy-builds.ts";
import type { RegistryAuth } from "../../../shared/registry-auths.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { digestOf } from "../../support/builds/given-builder.ts";
import { givenKeptBuilds } from "../../support/builds/given-kept-builds.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  type ScriptedAnswer,
  type Seen,
  startScripted,
} from "../../support/registry/scripted-registry.ts";

const { db, url } = await testDatabase();
const { broker } = await startBroker({ url });
const { signal } = new AbortController();
const there = { status: 200, headers: { "docker-content-digest": digestOf("a") } };
const unknown = { status: 404, body: { errors: [{ code: "MANIFEST_UNKNOWN" }] } };
const deletes = ({ method, path }: Seen): ScriptedAnswer => {
  if (method === "HEAD") return there;
  if (method === "DELETE") return { status: 202 };
  return path.includes("/referrers/") ? { status: 404 } : unknown;
};
const { host, seen, script } = await startScripted(deletes);

beforeEach(async () => {
  await db`delete from artifact_deletions`;
  await db`delete from component_builds`;
  await db`delete from registry_refusals`;
  script.answer = deletes;
  seen.length = 0;
});

/** An org with so many builds to delete. */
async function givenDue(count = 1) {
  const of = await givenKeptBuilds(db);
  const repository = of.repositoryOf(host);
  for (let n = 0; n <= count; n++) await of.build({ repository, digest: digestOf(String(n)) });
  await tidyBuilds(db, 1, { signal, batch: 100 });
  await db`update component_builds set expires_at = svc_now() where expires_at is not null`;
  await tidyBuilds(db, 1, { signal, batch: 100 });
  return { ...of, repository };
}

async function run(auth: RegistryAuth = "none", more: { timeoutMs?: number } = {}) {
  const registry = { server: host, prefix: "acme", isPlain: true, auth };
  const egress = { mode: "strict", opened: [] } as const;
  const { seals } = broker;
  return await deleteArtifacts({ db, seals, config: { registry, egress }, ...more }, signal);
}
const pass = async (): Promise<void> => {
  await db`update artifact_deletions set due_at = svc_now()`;
};
const faults = async () =>
  (await db<{ fault: string }[]>`select fault from artifact_deletions order by build_id`).map(
    ({ fault }) => fault,
  );
const asked = (method: string) => seen.filter((one) => one.method === method);

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
  ["a 404 of something else", { status: 404 }],
])(
  "a registry that answers deletes with %s is remembered for a day, and builds go",
  async (_, answer) => {
    const one = await givenDue(3);
    script.answer = (what) => (what.method === "DELETE" ? answer : deletes(what));
    expect(await run()).toEqual({ unsupported: 1, left: 2 });
    expect(Object.values(await one.fates())).toEqual(["stays"]);
    expect(await findRefusal(db, host)).toEqual({
      reason: "unsupported",
      detail: "The registry does not delete manifests.",
    });
    seen.length = 0;
    await givenDue(1);
    expect(await run()).toEqual({ left: 1 });
    expect(seen).toEqual([]);
    await db`update registry_refusals set refused_at = svc_now() - interval '25 hours'`;
    script.answer = deletes;
    await givenDue(1);
    expect(await run()).toEqual({ deleted: 1 });
    expect(await db`select from registry_refusals`).toHaveLength(0);
  },
);

test("who may not delete asks eight times, and leaves the artifact; with the broker's own token for ever", async () => {
  const one = await givenDue();
  script.answer = () => ({ status: 401 });
  for (let n = 0; n < 7; n++) {
    expect(await run()).toEqual({ later: 1 });
    await pass();
  }
  expect((await findRefusal(db, host))?.reason).toBe("refused");
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

test("of what a list says is attached only that goes which says so itself and is no build's", async () => {
  const one = await givenDue();
  const about = { subject: { digest: digestOf("0") } };
  const list = ["b", "c", "1"].map((letter) => ({ digest: digestOf(letter) }));
  script.answer = (what) => {
    if (what.method !== "GET") return deletes(what);
    if (what.path.includes("/referrers/")) return { status: 404 };
    if (what.path.endsWith(digestOf("0").replace(":", "-")))
      return {
        ...there,
        headers: { "docker-content-digest": digestOf("f") },
        body: { manifests: list },
      };
    return { status: 200, body: what.path.endsWith(digestOf("c")) ? {} : about };
  };
  expect(await run()).toEqual({ deleted: 1 });
  const at = (reference: string) =>
    `/v2/${one.repository.slice(host.length + 1)}/manifests/${reference}`;
  const tag = asked("DELETE").at(-2)?.path ?? "";
  expect(tag).toContain("/manifests/bld_");
  expect(asked("DELETE").map(({ path }) => path)).toEqual([
    at(digestOf("b")),
    at(digestOf("f")),
    tag,
    at(digestOf("0")),
  ]);
});
