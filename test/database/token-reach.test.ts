import { copyFile, readdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../../broker/database/migrate.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { testFolder } from "../support/run/folder.ts";

const folder = path.join(import.meta.dirname, "..", "..", "migrations");
const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
const at = files.findIndex((name) => name.endsWith("-token-reach.sql"));

/** A database as it was before tokens said how far they reach, and its way from there. */
async function setup() {
  const { url, db } = await emptyDatabase();
  const directory = await testFolder();
  const add = async (names: string[]) => {
    for (const name of names) await copyFile(path.join(folder, name), path.join(directory, name));
    await migrate(url, directory);
  };
  await add(files.slice(0, at));
  await db`insert into orgs (id, name) values ('org_1', 'One'), ('org_2', 'Two')`;
  await db`insert into accounts (id, account_type) values ('acc_victim', 'auth'), ('acc_other', 'auth')`;
  let count = 0;
  const token = async (given: Record<string, string | null> & { minute: string }) => {
    const id = `tok_${++count}`;
    const { kind = "pat", account = null, by = "", org = "org_1", role = null, minute } = given;
    await db`
      insert into tokens (id, org_id, digest, hint, kind, token_type, account_id, role_type, created_by_id, issued_at)
      values (${id}, ${org}, sha256(${id}::bytea), '', ${kind}, 'static', ${account}, ${role}, ${by},
              timestamptz '2026-01-01 00:00Z' + ${minute}::interval)`;
    return id;
  };
  const read = async (id: string) => {
    const [row] = await db<{ reach: string; is_revoked: boolean }[]>`
      select reach, revoked_at is not null as is_revoked from tokens where id = ${id}`;
    return [row?.reach, row?.is_revoked];
  };
  return { token, read, upgrade: () => add(files.slice(at, at + 1)) };
}

test("tokens from before: persons' own reach on, what a stranger may have made is revoked", async () => {
  const { token, read, upgrade } = await setup();
  const victim = { account: "acc_victim", by: "acc_victim" };
  const early = await token({ ...victim, minute: "1 min" });
  const strangers = await token({
    kind: "sa",
    role: "org_admin",
    account: "acc_victim",
    by: "acc_other",
    minute: "2 min",
  });
  const late = await token({ ...victim, minute: "3 min" });
  const elsewhere = await token({ ...victim, org: "org_2", minute: "4 min" });
  const others = await token({ account: "acc_other", by: "acc_other", minute: "5 min" });
  const first = await token({ account: "acc_victim", minute: "6 min" });
  const byAdmin = await token({ account: "acc_other", by: "acc_victim", minute: "7 min" });
  await upgrade();
  expect({
    early: await read(early),
    strangers: await read(strangers),
    late: await read(late),
    elsewhere: await read(elsewhere),
    others: await read(others),
    first: await read(first),
    byAdmin: await read(byAdmin),
  }).toEqual({
    early: ["account", false],
    strangers: ["org", false],
    late: ["org", true],
    elsewhere: ["org", true],
    others: ["account", false],
    first: ["account", false],
    byAdmin: ["org", false],
  });
});
