import { expect, test, vi } from "vitest";
import { standardRoles } from "../../../broker/roles/standard-roles.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { waitLimitMs } from "../../support/run/hang-limits.ts";

const { url, db } = await testDatabase();

/** What the database says of the service's own roles. */
const stored = async () => ({
  roles: await db`select id, role_type, title, managed, assignable, grants from roles order by id`,
  policies: await db`select role_id, name, permissions from role_policies order by role_id, name`,
});
const told = ({ logged }: { readonly logged: readonly string[] }): string[][] =>
  logged
    .map((line) => JSON.parse(line) as { msg: string; roles: string[] })
    .filter(({ msg }) => msg === "roles differed from the code and were corrected")
    .map(({ roles }) => roles);

test("the service's own roles are as the code says from the start, and are mended when they are changed", async () => {
  const broker = await startBroker({ url, hasCron: true });
  const right = await stored();
  expect(right.policies).toHaveLength(standardRoles.flatMap(({ policies }) => policies).length);
  const [admin, , , , installer] = standardRoles.map(({ id }) => id);
  if (admin === undefined || installer === undefined) throw new Error("roles are missing");
  await db`update roles set title = 'King', grants = '{plans.read}' where id = ${admin}`;
  await db`delete from role_policies where role_id = ${installer} and name = 'bound'`;
  await db`insert into role_policies values (${admin}, 'more', '{orgs.create}')`;
  await db`update role_policies set permissions = '{}' where role_id = ${installer}`;
  const before = told(broker).length;
  await db`select graphile_worker.add_job('reconcile-roles')`;
  await vi.waitFor(() => expect(told(broker).length).toBe(before + 1), { timeout: waitLimitMs });
  expect(told(broker).at(-1)).toEqual([admin, installer]);
  expect(await stored()).toEqual(right);
  await broker.stop();
});

test("a role that is missing comes back with a broker's start, which tells it; what is right is not told", async () => {
  const [, , , , , , , , collector] = standardRoles.map(({ id }) => id);
  await db`delete from roles where id = ${collector ?? ""}`;
  const first = await startBroker({ url });
  expect(told(first)).toEqual([[collector]]);
  const second = await startBroker({ url });
  expect(told(second)).toEqual([]);
});
