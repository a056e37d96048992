import { describe, expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { tidyBuilds } from "../../../broker/retention/tidy-builds.ts";
import { digestOf } from "../../support/builds/given-builder.ts";
import { type GivenBuild, givenKeptBuilds } from "../../support/builds/given-kept-builds.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";

const { db } = await testDatabase();
const { signal } = new AbortController();
const tidy = async (keep = 10) => await tidyBuilds(db, keep, { signal, batch: 5 });

async function givenMany(of: Awaited<ReturnType<typeof givenKeptBuilds>>, builds: GivenBuild[]) {
  const ids: string[] = [];
  for (const one of builds) ids.push(await of.build(one));
  return ids;
}

describe("builds that nothing needs", () => {
  test("are all but the newest of each config and the last ten that are no no_op; failures count by themselves", async () => {
    const of = await givenKeptBuilds(db);
    const older = await of.config();
    const ofOlder = await givenMany(of, [
      { configId: older },
      { configId: older },
      { configId: older, status: "error" },
    ]);
    const failed = await givenMany(
      of,
      Array.from({ length: 12 }, () => ({ status: "error" })),
    );
    const active = await givenMany(
      of,
      Array.from({ length: 12 }, () => ({})),
    );
    const same = await givenMany(of, [
      { noOp: true, tag: active[11] ?? "" },
      { noOp: true, tag: active[11] ?? "" },
    ]);
    const sandbox = await givenMany(
      of,
      Array.from({ length: 12 }, () => ({ componentId: null })),
    );
    for (let n = 0; n < 5; n++) await tidy(); // some at a time
    const fates = await of.fates();
    const going = Object.keys(fates).filter((id) => fates[id] === "goes");
    // The first of its config, of which a newer one is active; the oldest beyond ten of each sort; a no_op of which there is a newer one.
    const older10 = [failed, active, sandbox].flatMap((ids) => ids.slice(0, 2));
    expect(new Set(going)).toEqual(new Set([ofOlder[0], same[0], ...older10]));
    await advanceClock(db, "23 hours");
    await tidy();
    expect(Object.values(await of.fates())).not.toContain("deleting");
    await advanceClock(db, "2 hours");
    for (let n = 0; n < 5; n++) await tidy();
    const after = await of.fates();
    expect(
      Object.keys(after)
        .filter((id) => after[id] === "deleting")
        .toSorted(),
    ).toEqual(going.toSorted());
  });

  test("are those of configs before the last ten, but of one that is active, of an install or of an open workflow", async () => {
    const of = await givenKeptBuilds(db);
    const [active, installed, wanted, old] = [
      of.configId,
      await of.config(),
      await of.config(),
      await of.config(),
    ];
    const ofThese = await givenMany(
      of,
      [active, installed, wanted, old].map((configId) => ({ configId })),
    );
    for (let n = 0; n < 9; n++) await of.build({ configId: await of.config() });
    await of.install(installed, wanted);
    await tidy(1);
    const goes = async () => {
      const fates = await of.fates();
      return ofThese.map((id) => fates[id]);
    };
    expect(await goes()).toEqual(["stays", "stays", "stays", "stays"]);
    await of.build({ configId: await of.config() }); // the tenth after it
    await tidy(1);
    expect(await goes()).toEqual(["stays", "stays", "stays", "goes"]);
  });

  test("without anything in the registry are gone after the day, with what policies said of them", async () => {
    const of = await givenKeptBuilds(db);
    const [first, second] = await givenMany(of, [{ repository: "" }, {}]);
    await db`
      insert into policy_reports (id, org_id, owner_type, owner_id, app_id, runner_job_id, status, inputs, policies, policy_ids, violations,
                                  deny_count, warn_count, pass_count, evaluated_at, created_at)
      select ${newId("plr")}, ${of.orgId}, 'component_builds', b.id, ${of.appId}, 'job_1', 'pass', '[]', '[]', '{}', '[]', 0, 0, 0, svc_now(), svc_now()
        from component_builds b where b.id = ${first ?? ""}`;
    await tidy(1);
    await advanceClock(db, "25 hours");
    await tidy(1);
    expect(await of.fates()).toEqual({ [second ?? ""]: "stays" });
    expect(await db`select from policy_reports where owner_id = ${first ?? ""}`).toHaveLength(0);
  });

  test("are taken back when something comes to need them within the day", async () => {
    const of = await givenKeptBuilds(db);
    const [first = "", second = ""] = await givenMany(of, [{}, {}]);
    await tidy(1);
    expect(await of.fates()).toEqual({ [first]: "goes", [second]: "stays" });
    await db`update component_builds set status = 'error' where id = ${second}`; // the first is the newest that can be deployed
    expect((await tidy(1)).taken_back).toBe(1);
    await advanceClock(db, "25 hours");
    await tidy(1);
    expect((await of.fates())[first]).toBe("stays");
  });

  test("are none where all are kept, but for those of a component or app that is deleted", async () => {
    const of = await givenKeptBuilds(db);
    const ids = await givenMany(of, [{}, {}, {}]);
    const other = await of.component("other");
    const ofOther = await givenMany(of, [{ componentId: other }, { componentId: other }]);
    await tidy(0);
    expect(new Set(Object.values(await of.fates()))).toEqual(new Set(["stays"]));
    await db`update components set deleted_at = svc_now() where id = ${other}`;
    await tidy(0);
    const fates = await of.fates();
    expect(ofOther.map((id) => fates[id])).toEqual(["goes", "goes"]);
    expect(ids.map((id) => fates[id])).toEqual(["stays", "stays", "stays"]);
    await db`update apps set deleted_at = svc_now() where id = ${of.appId}`;
    await tidy(0);
    expect(new Set(Object.values(await of.fates()))).toEqual(new Set(["goes"]));
  });
});

describe("a build is held", () => {
  test("while it is open, and as what an open one is compared with", async () => {
    const of = await givenKeptBuilds(db);
    const gone = await of.component("gone");
    const [compared = "", open = "", resting = ""] = await givenMany(of, [
      { componentId: gone },
      { componentId: gone, status: "building" },
      { componentId: null },
    ]);
    await db`update components set deleted_at = svc_now() where id = ${gone}`;
    await tidy();
    expect(await of.fates()).toEqual({ [compared]: "stays", [open]: "stays", [resting]: "stays" });
    await db`update component_builds set status = 'error' where id = ${open}`;
    await tidy();
    expect(await of.fates()).toMatchObject({ [compared]: "goes", [open]: "goes" });
  });

  test("by each build that stays and has its artifact, along a chain of no_ops", async () => {
    const of = await givenKeptBuilds(db);
    const first = await of.build({ digest: digestOf("1") });
    const same = { noOp: true, tag: first, digest: digestOf("1") };
    const second = await of.build(same);
    const third = await of.build(same);
    const newer = await of.build({ digest: digestOf("2") });
    await tidy(1);
    // The second and the third are neither the newest of their config nor among the last: only they name the first.
    expect(await of.fates()).toEqual({
      [first]: "stays",
      [second]: "goes",
      [third]: "goes",
      [newer]: "stays",
    });
    await tidy(1);
    expect((await of.fates())[first]).toBe("goes");
    const last = await of.build(same);
    await tidy(1);
    expect((await of.fates())[first]).toBe("stays");
    expect((await of.fates())[last]).toBe("stays");
  });
});

test("two brokers at once begin with each build once, and neither waits for the other", async () => {
  const of = await givenKeptBuilds(db);
  await givenMany(
    of,
    Array.from({ length: 9 }, () => ({})),
  );
  await tidy(1);
  await tidy(1);
  await advanceClock(db, "25 hours");
  for (let n = 0; n < 3; n++) await Promise.all([tidy(1), tidy(1), tidy(1)]);
  const deletions = await db`select from artifact_deletions where app_id = ${of.appId}`;
  expect(deletions).toHaveLength(8);
  expect(Object.values(await of.fates()).filter((fate) => fate === "deleting")).toHaveLength(8);
});
