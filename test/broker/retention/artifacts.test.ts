import { expect, test } from "vitest";
import { deleteArtifact } from "../../../broker/registry/delete-artifact.ts";
import { type AskRepository, openRepository } from "../../../broker/registry/open-repository.ts";
import { makeRegistryCalls } from "../../../broker/registry/registry-calls.ts";
import {
  announceAndJudge,
  digestsOfBuilds,
  indexesOfBuilds,
  takeArtifactDeletion,
} from "../../../broker/retention/artifact-deletions.ts";
import { deleteArtifacts } from "../../../broker/retention/delete-artifacts.ts";
import { tidyBuilds } from "../../../broker/retention/tidy-builds.ts";
import { givenKeptBuilds } from "../../support/builds/given-kept-builds.ts";
import { askToken } from "../../support/registry/ask-token.ts";
import { artifactsAt } from "../../support/registry/given-artifacts.ts";
import { type Asked, givenDevRegistry } from "../../support/registry/given-dev-registry.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { host, broker, ask: askAsOrg } = await givenDevRegistry({}, "/acme");
const { db } = broker.broker;
const { signal } = new AbortController();

/** An app in an org of its own, and its repositories at the registry. */
async function setup() {
  const of = await givenKeptBuilds(db);
  const login = {
    username: "svc",
    password: await givenToken(db, { orgId: of.orgId, role: "org_admin" }),
  };
  const ask = async (what: string, asked: Asked = {}) => {
    const name = /\/v2\/(.+)\/(?:blobs|manifests|tags|referrers)\//.exec(what)?.[1] ?? "";
    const { body } = await askToken(
      broker.url,
      login,
      [`repository:${name}:pull,push,delete`],
      host,
    );
    const headers = { ...asked.headers, authorization: `Bearer ${body.token}` };
    return await askAsOrg(what, { ...asked, headers, scopes: [] });
  };
  const at = of.repositoryOf(host);
  const path = at.slice(host.length + 1);
  const artifacts = artifactsAt(ask);
  /** A build that has pushed something that says this. */
  async function build(says: string, more: Parameters<typeof of.build>[0] = {}) {
    const { digest } = await artifacts.push(path, { says });
    const id = await of.build({ repository: at, digest, ...more });
    await artifacts.push(path, { says, tag: id });
    return { id, digest };
  }
  return { ...of, ...artifacts, ask, at, path, build, row: of.build };
}

/** Marks what only the newest build of each component does not need, and begins to delete it. */
async function begin(): Promise<void> {
  await tidyBuilds(db, 1, { signal, batch: 100 });
  // The registry's own clock is that of tokens: rows are made older, the database's clock is left alone.
  await db`update component_builds set expires_at = svc_now() where expires_at is not null`;
  await tidyBuilds(db, 1, { signal, batch: 100 });
}
/** What another broker has taken, or was put off, is due. */
const pass = async (): Promise<void> => {
  await db`update artifact_deletions set due_at = svc_now(), taken_until = case when taken_until is not null then svc_now() end`;
};
const run = async () => await deleteArtifacts(broker.broker, signal);

test("an artifact goes with its tag and what is attached to it, and then its build; what was attached to others stays", async () => {
  const one = await setup();
  const old = await one.build("one");
  const newer = await one.build("two");
  const oldManifest = await one.push(one.path, { says: "one" });
  const attached = await one.push(one.path, { says: "from", about: oldManifest });
  const kept = await one.push(one.path, {
    says: "from",
    about: await one.push(one.path, { says: "two" }),
  });
  await begin();
  expect(await one.fates()).toEqual({ [old.id]: "deleting", [newer.id]: "stays" });
  expect(await run()).toEqual({ deleted: 1 });
  expect(await one.fates()).toEqual({ [newer.id]: "stays" });
  const there = async (references: readonly string[]) =>
    await Promise.all(references.map((reference) => one.isThere(one.path, reference)));
  expect(await there([old.digest, old.id, attached.digest])).toEqual([false, false, false]);
  expect(await there([newer.digest, newer.id, kept.digest])).toEqual([true, true, true]);
  expect(await run()).toEqual({});
});

test("an artifact of the digest that a newer build has stays, and so does that of another org", async () => {
  const [one, other] = [await setup(), await setup()];
  const old = await one.build("same");
  const between = await one.build("between");
  const newer = await one.build("same");
  const theirs = await other.build("between");
  expect(theirs.digest).toBe(between.digest);
  await begin();
  expect(await run()).toEqual({ kept: 1, deleted: 1 });
  expect(await one.fates()).toEqual({ [newer.id]: "stays" });
  expect(await one.isThere(one.path, old.digest)).toBe(true);
  expect(await one.isThere(one.path, between.digest)).toBe(false);
  expect(await other.isThere(other.path, theirs.digest)).toBe(true);
});

test("what a build that failed has pushed is found by its tag; of one that has pushed nothing the build goes", async () => {
  const one = await setup();
  const refused = await one.build("refused", { status: "policy_failed" });
  await db`update component_builds set artifact = artifact - 'digest' where id = ${refused.id}`;
  const nothing = await one.build("x", { status: "error" });
  await db`update component_builds set artifact = jsonb_build_object('repository', ${one.at}::text, 'tag', 'none') where id = ${nothing.id}`;
  const last = await one.build("last");
  const newest = await one.build("newest", { status: "error" });
  await begin();
  expect(await run()).toEqual({ deleted: 1, gone: 1 });
  expect(await one.fates()).toEqual({ [last.id]: "stays", [newest.id]: "stays" });
  expect(await one.isThere(one.path, refused.digest)).toBe(false);
});

test("a broker that is killed at any request leaves what another one ends, with no build without its artifact", async () => {
  let isThrough = false;
  let dies = 0;
  for (; !isThrough; dies++) {
    const one = await setup();
    const old = await one.build("old");
    const oldManifest = await one.push(one.path, { says: "old" });
    const attached = await one.push(one.path, { says: "from", about: oldManifest });
    const newer = await one.build("new");
    await begin();
    const taken = await takeArtifactDeletion(db, "", 60);
    if (taken === undefined) throw new Error("nothing is due");
    const { registry, egress } = broker.broker.config;
    if (registry === undefined) throw new Error("there is no registry");
    const calls = makeRegistryCalls(registry, egress);
    const parts = { db, seals: broker.broker.seals, registry, calls };
    const ask = openRepository(parts, { orgId: one.orgId, repository: one.path, signal });
    let left = dies;
    const until: AskRepository = async (asked) => {
      if (left === 0) throw new Error("killed");
      left -= 1;
      return await ask(asked);
    };
    const killed = deleteArtifact(until, taken, {
      mayDelete: (digest) => announceAndJudge(db, taken, digest),
      ofBuilds: (digests) => digestsOfBuilds(db, taken, digests),
      indexes: (most) => indexesOfBuilds(db, taken, most),
    });
    isThrough = await killed.then(
      () => true,
      () => false,
    );
    expect(await run()).toEqual({}); // it is another broker's yet
    expect(await one.fates()).toEqual({ [old.id]: "deleting", [newer.id]: "stays" });
    await pass();
    expect(Object.values(await run())).toEqual([1]);
    expect(await one.fates()).toEqual({ [newer.id]: "stays" });
    for (const digest of [old.digest, attached.digest])
      expect(await one.isThere(one.path, digest)).toBe(false);
    expect(await one.isThere(one.path, newer.digest)).toBe(true);
  }
  expect(dies).toBeGreaterThan(5); // requests
});

test("orgs take turns: one with many artifacts does not hold up the others", async () => {
  const orgs = [await setup(), await setup()];
  const [many, few] = orgs;
  for (let n = 0; n < 5; n++) await many?.build(`n${n}`);
  for (let n = 0; n < 3; n++) await few?.build(`n${n}`);
  await begin();
  await run();
  const ids = orgs.map(({ orgId }) => orgId);
  const ends = await db<{ org_id: string }[]>`
    select org_id from artifact_deletions where org_id = any(${ids}) order by ended_at`;
  const named = ends.map(({ org_id: id }) => ids.findIndex((one) => one === id));
  expect(named).toEqual([0, 1, 0, 1, 0, 0]);
});

test("two brokers at once delete each artifact once", async () => {
  const orgs = [await setup(), await setup()];
  for (const one of orgs) for (let n = 0; n < 4; n++) await one.build(`n${n}`);
  await begin();
  const came = await Promise.all([run(), run()]);
  expect(came.reduce((sum, { deleted = 0 }) => sum + deleted, 0)).toBe(6);
  for (const one of orgs) expect(Object.values(await one.fates())).toEqual(["stays"]);
});

test("nothing is deleted while a build of the same component is open, whatever it makes", async () => {
  const one = await setup();
  const old = await one.build("old");
  await one.build("new");
  await begin();
  const open = await one.build("old", { status: "building" });
  await db`update component_builds set artifact = artifact - 'digest' where id = ${open.id}`;
  expect(await run()).toEqual({ open: 1 });
  expect(await one.isThere(one.path, old.digest)).toBe(true);
  await db`update component_builds set status = 'active', artifact = artifact || jsonb_build_object('digest', ${old.digest}::text) where id = ${open.id}`;
  await pass();
  expect(await run()).toEqual({ kept: 1 });
  expect(await one.isThere(one.path, old.digest)).toBe(true);
  expect((await one.fates())[open.id]).toBe("stays");
});

test("an artifact that the index of a build that stays names stays, and so does what is attached and named", async () => {
  const one = await setup();
  const old = await one.build("a platform");
  const lone = await one.build("alone");
  const platform = await one.push(one.path, { says: "a platform" });
  const about = await one.push(one.path, { says: "alone" });
  const statement = await one.push(one.path, { says: "statement", about });
  const inner = await one.pushIndex(one.path, [platform]);
  const outer = await one.pushIndex(one.path, [inner, statement]);
  const index = await one.row({ repository: one.at, digest: outer.digest });
  await begin();
  expect(await run()).toMatchObject({ kept: 1 });
  expect(await one.fates()).toEqual({ [index]: "stays" });
  expect(await one.isThere(one.path, old.digest)).toBe(true);
  expect(await one.isThere(one.path, statement.digest)).toBe(true);
  expect(await one.isThere(one.path, lone.digest)).toBe(false);
});

test("what is open is asked before what is there, so that a build that ends between is seen once at least", async () => {
  const one = await setup();
  await one.build("same");
  await one.build("same");
  const open = await one.build("other", { status: "building" });
  await begin();
  expect(await run()).toEqual({ open: 1 }); // not kept: that was asked too early
  await db`update component_builds set status = 'active' where id = ${open.id}`;
  await pass();
  expect(await run()).toEqual({ kept: 1 });
});

test("an artifact in a registry that was set before is left there, and its build goes", async () => {
  const one = await setup();
  const old = await one.build("old", { repository: `before.example.com/${one.path}` });
  await one.build("new");
  await begin();
  expect(await run()).toMatchObject({ left: 1 });
  expect(Object.keys(await one.fates())).not.toContain(old.id);
  const [row] = await db`select outcome, fault from artifact_deletions where build_id = ${old.id}`;
  expect(row).toEqual({
    outcome: "left",
    fault: "It is in the registry before.example.com, which is set no more.",
  });
});
