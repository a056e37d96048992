import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { baseline } from "../../broker/database/baseline.ts";
import { connect, type Db } from "../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { requireCurrentSchema } from "../../broker/database/schema-state.ts";
import { describeSchema, listDefinitions } from "../../build/describe-schema.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { testFolder } from "../support/run/folder.ts";
import { unpackBuild } from "../support/upgrades/kept-builds.ts";

const run = promisify(execFile);

/** Migrates with a kept build's own program. */
async function migrateBy(name: string, url: string): Promise<void> {
  const { svc } = await unpackBuild(name);
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", DATABASE_URL: url };
  await run(process.execPath, [svc, "migrate", "up"], { env });
}

/** All of a schema that can differ: the whole text of its functions, too, and what the migrations wrote into it. */
async function everythingOf(db: Db) {
  return {
    schema: await describeSchema(db, new Map()),
    functions: await listDefinitions(db),
    roles:
      await db`select id, org_id, role_type, title, applies_to, assignable, managed, grants from roles order by id`,
    marks:
      await db`select (select count(*) from runner_job_tally_mark) as tally, (select count(*) from broker_listening)`,
  };
}

/** Postgres of the version we support at least, with two databases. */
async function oldestPostgres(): Promise<{ one: string; other: string }> {
  const dataDir = await testFolder();
  const postgres = await startEmbeddedPostgres({
    dataDir,
    fsync: false,
    packageName: "postgres-15",
  });
  onTestFinished(async () => await postgres.stop());
  const db = connect(postgres.url, { max: 1 });
  await db`create database other`;
  await db.end();
  const other = new URL(postgres.url);
  other.pathname = "/other";
  return { one: postgres.url, other: other.href };
}

/** The migrator fails as soon as it notes the step. svc_functions is as migrate.ts makes it. */
const dieAt = `
  create table svc_functions (name text primary key, checksum text not null, revision integer not null,
    applied_at timestamptz not null default clock_timestamp());
  create table die_at (step text);
  insert into die_at values ('');
  create function die() returns trigger language plpgsql as $$
  begin
    if exists (select from die_at where step = new.name) then
      raise exception 'stopped at %', new.name;
    end if;
    return new;
  end $$;
  create trigger die after insert on svc_migrations for each row execute function die();
  create trigger die after insert on svc_functions for each row execute function die();`;

describe("a database of the last version before the baseline", () => {
  test("is taken over with what it holds, and has the schema of a new one", async () => {
    const [old, fresh] = [await emptyDatabase(), await emptyDatabase()];
    await migrateBy("003-549264b", old.url);
    await old.db`insert into orgs (id, name) values ('org_1', 'One')`;
    const before = await old.db`select name, checksum, applied_at from svc_migrations order by 1`;
    expect(before.at(-1)?.["name"]).toBe(baseline.past.last);
    await expect(requireCurrentSchema(old.db)).rejects.toThrow(
      /The database schema is not up to date: 0058-identity.*Run "svc migrate up"/,
    );
    const applied = await migrate(old.url);
    expect(applied).toEqual(expect.arrayContaining([baseline.first, "functions/claim"]));
    await migrate(fresh.url);
    expect(await everythingOf(old.db)).toEqual(await everythingOf(fresh.db));
    const after = await old.db`
      select name, checksum, applied_at from svc_migrations where name < ${baseline.first} order by 1`;
    expect([...after]).toEqual([...before]);
    expect(await old.db`select id, name from orgs`).toMatchObject([{ id: "org_1", name: "One" }]);
    await requireCurrentSchema(old.db);
    expect(await migrate(old.url)).toEqual([]);
  });

  test("comes to the same end when the takeover stops in each of its steps, one after the other", async () => {
    const [old, fresh] = [await emptyDatabase(), await emptyDatabase()];
    await migrateBy("003-549264b", old.url);
    await old.db.unsafe(dieAt);
    const early = [baseline.first, "functions/before-tables", "functions"];
    for (const step of [...early, "0068-drop-superseded", "functions/claim"]) {
      await old.db`update die_at set step = ${step}`;
      await expect(migrate(old.url)).rejects.toThrow(`stopped at ${step}`);
      await expect(requireCurrentSchema(old.db)).rejects.toThrow();
    }
    await old.db`drop function die() cascade`;
    await old.db`drop table die_at`;
    await migrate(old.url);
    await migrate(fresh.url);
    await requireCurrentSchema(old.db);
    expect(await everythingOf(old.db)).toEqual(await everythingOf(fresh.db));
  });

  test("is taken over on the oldest Postgres we support, too", async () => {
    const { one, other } = await oldestPostgres();
    await migrateBy("003-549264b", one);
    const everything = await Promise.all(
      [one, other].map(async (url) => {
        await migrate(url);
        const db = connect(url, { max: 1 });
        const all = await everythingOf(db);
        await db.end();
        return all;
      }),
    );
    expect(everything[0]).toEqual(everything[1]);
  });

  test("whose files were others is refused", async () => {
    const { url, db } = await emptyDatabase();
    await migrateBy("003-549264b", url);
    await db`update svc_migrations set checksum = 'x' where name = '0036-log-sequences'`;
    await expect(migrate(url)).rejects.toThrow("other text than that of 0001 to 0057");
  });
});

test("a database of an older version is refused, told which version comes first, and stays as it is", async () => {
  const { url, db } = await emptyDatabase();
  await migrateBy("003-549264b", url);
  await db`delete from svc_migrations where name > '0037-groups-served'`; // as an older one left it
  const before = await everythingOf0037(db);
  const refusal =
    "The database stands at 0037-groups-served, and this version goes on from 0057-unheld-returns: " +
    'run "svc migrate up" of svc 0.1.0 at commit 549264b first.';
  await expect(migrate(url)).rejects.toThrow(refusal);
  await expect(requireCurrentSchema(db)).rejects.toThrow(refusal);
  expect(await everythingOf0037(db)).toEqual(before);
});

async function everythingOf0037(db: Db) {
  const rows = await db`select name, checksum, applied_at from svc_migrations order by 1`;
  return { rows: [...rows], schema: await describeSchema(db, new Map()) };
}
