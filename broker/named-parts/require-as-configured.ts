import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listNamedParts } from "./named-part-queries.ts";
import { showComponent, showRunbook } from "./show-named-parts.ts";

type Which = { readonly app: string; readonly id: string };
type OfComponent = {
  readonly dependencies?: readonly string[] | undefined;
  readonly var_name?: string | undefined;
};

/** Refuses with 422 what only a config can say of a component, where it says something else; nothing and empty are as if left out. */
export async function requireComponentAs(
  db: Db,
  org: OrgId,
  which: Which,
  { dependencies = [], var_name: varName = "" }: OfComponent,
): Promise<void> {
  if (dependencies.length === 0 && varName === "") return;
  const is = await showComponent(db, org, which);
  const others: string[] = [];
  if (varName !== "" && nameKey(varName) !== nameKey(is.resolved_var_name)) others.push("var_name");
  if (dependencies.length > 0) {
    const wanted = await idsOf(db, org, which.app, dependencies);
    if (wanted.toSorted().join() !== is.dependencies.toSorted().join()) others.push("dependencies");
  }
  refuse(others);
}

/** The same of a runbook. */
export async function requireRunbookAs(
  db: Db,
  org: OrgId,
  which: Which,
  { description = "" }: { readonly description?: string | undefined },
): Promise<void> {
  if (description === "") return;
  const is = await showRunbook(db, org, which);
  refuse(is.description === description ? [] : ["description"]);
}

/** Ids of components by their ids or names; what is not there stays as it is. */
async function idsOf(db: Db, org: OrgId, app: string, given: readonly string[]): Promise<string[]> {
  const page = { after: undefined, limit: given.length, offset: 0 };
  const filter = { names: given };
  const rows = await listNamedParts(db, org, { kind: "components", app, filter, ...page });
  const byName = new Map(rows.map(({ id, name }) => [nameKey(name), id]));
  return [...new Set(given.map((one) => byName.get(nameKey(one)) ?? one))];
}

function refuse(members: readonly string[]): void {
  if (members.length === 0) return;
  const detail = "Only a config of the app changes this. Sync one, or leave it out here.";
  throw problem.invalid(
    members.map((name) => ({ pointer: `#/${name}`, code: "not_allowed", detail })),
  );
}
