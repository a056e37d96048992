import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { idKinds } from "../../../shared/id-prefixes.ts";

/** Events of the audit log that are about no one thing, and why. */
const untargeted: Readonly<Record<string, string>> = {
  several: "stands for what was not told one by one",
};

/** Everything that was done by a request, and is told in the audit log here, was done to something, of a kind that the one table has. */
export async function expectTargets(db: Db): Promise<void> {
  const [known] = await db<{ is: boolean }[]>`
    select to_regclass('audit_events') is not null as is`;
  if (known?.is !== true) return;
  const events = await db<{ action: string; type: string; id: string }[]>`
    select distinct on (action, target_type) action, target_type as type, target_id as id
      from audit_events where outcome = 'allowed' and request_id <> '' and action <> all (${Object.keys(untargeted)}) limit 1000`;
  const faulty = events.filter(({ type, id }) => !idKinds.has(type) || id === "");
  expect(faulty).toEqual([]);
}
