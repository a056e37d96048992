import type postgres from "postgres";
import type { NamedParam } from "../../shared/id-names.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import { tablesOfNames } from "./named-kinds.ts";

type Caller = Pick<Actor, "orgId" | "bound">;
/** Something that a name or an id stands for, and its app. */
export type Found = { readonly id: string; readonly app_id: string };

/** More things of one name are not told apart. */
const mostLooked = 50;

/**
 * What has this name among what the caller may read, in one app where that is given; `-` is equal to `_`. In one app the exact
 * name comes first; 409 where it could be several things.
 */
export async function findNamed(
  db: Db,
  caller: Caller,
  {
    param,
    name,
    app,
  }: { readonly param: NamedParam; readonly name: string; readonly app?: string },
): Promise<Found | undefined> {
  const table = tablesOfNames[param];
  const rows = await db<(Found & { readonly name: string })[]>`
    select x.id, ${db(appColumn(param))} as app_id, x.name from ${db(table)} x
     where x.org_id = ${caller.orgId} and replace(x.name, '-', '_') = ${name.replaceAll("-", "_")}
       and x.deleted_at is null ${app === undefined ? ofLivingApp(db, param) : db`and x.app_id = ${app}`} ${reach(db, caller, param)}
     limit ${mostLooked}`;
  const [first] = rows;
  if (rows.length <= 1) return first;
  const exact = rows.find((row) => row.name === name);
  const isOneApp = rows.length < mostLooked && rows.every(({ app_id: of }) => of === first?.app_id);
  if (exact !== undefined && isOneApp) return exact;
  throw ambiguous(param, name, rows);
}

/** The app of a thing that is named by its id, where the caller may read it. */
export async function findAppOf(
  db: Db,
  caller: Caller,
  { table, id }: { readonly table: string; readonly id: string },
): Promise<string | undefined> {
  const [row] = await db<{ app_id: string }[]>`
    select x.app_id from ${db(table)} x
     where x.org_id = ${caller.orgId} and x.id = ${id} ${reach(db, caller, table === "installs" ? "install_id" : "action_id")}`;
  return row?.app_id;
}

/** What an app had when it was deleted stays, and is nothing to name. */
const ofLivingApp = (db: Db, param: NamedParam): postgres.Fragment =>
  param === "app_id" || param === "install_id"
    ? db``
    : db`and exists (select from apps a where a.org_id = x.org_id and a.id = x.app_id and a.deleted_at is null)`;

const appColumn = (param: NamedParam): string => (param === "app_id" ? "id" : "app_id");

/** Narrows it to what a bound token reaches. */
function reach(db: Db, { orgId, bound }: Caller, param: NamedParam): postgres.Fragment {
  if (bound === null) return db``;
  if (bound.type === "apps") return db`and ${db("x")}.${db(appColumn(param))} = ${bound.id}`;
  if (param === "install_id") return db`and x.id = ${bound.id}`;
  if (param === "app_id") return db`and false`; // an install's token does not read its app
  return db`and x.app_id = (select i.app_id from installs i where i.org_id = ${orgId} and i.id = ${bound.id})`;
}

/** A few of them are told: the caller may read each. */
function ambiguous(param: NamedParam, name: string, rows: readonly Found[]): Error {
  const word = param.replace(/_id$/, "");
  const ids = rows.slice(0, 5).map(({ id }) => id);
  const more = rows.length > ids.length ? ", and more" : "";
  const said = JSON.stringify(name.slice(0, 100));
  return problem.conflict(
    "ambiguous_name",
    `${said} is the name of more than one ${word}: ${ids.join(", ")}${more}. Give the id, or an app.`,
    { ids },
  );
}
