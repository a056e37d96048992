import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listNamedParts, type NamedRow, type Said } from "./named-part-queries.ts";

/** As requests say it: what is empty is not said any more. */
export type SaidInput = {
  readonly dependencies?: readonly string[] | undefined;
  readonly var_name?: string | undefined;
  readonly description?: string | undefined;
};

/** What is said of a component or a runbook, with its dependencies by id, and what is not said any more; 422 for one that the app has not. */
export async function saidOf(
  db: Db,
  org: OrgId,
  app: string,
  input: SaidInput,
): Promise<{ readonly said: Said; readonly unsaid: readonly string[] }> {
  const { dependencies = [], var_name: varName = "", description = "" } = input;
  const found = await findComponents(db, org, app, dependencies);
  const unknown = dependencies.flatMap((one, at) => (found[at] === undefined ? [{ at, one }] : []));
  if (unknown.length > 0)
    throw problem.invalid(
      unknown.map(({ at, one }) => ({
        pointer: `#/dependencies/${at}`,
        code: "unknown_component",
        detail: `This app has no component with the id or name "${one}".`,
      })),
    );
  const ids = new Set(found.flatMap((one) => one?.id ?? []));
  const said = {
    ...(ids.size > 0 && { dependencies: [...ids] }),
    ...(varName !== "" && { var_name: varName }),
    ...(description !== "" && { description }),
  };
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { said, unsaid: given.flatMap(([name]) => (name in said ? [] : [name])) };
}

/** Contents of a part with the names of components where it has their ids; what the app has not stays, and is checked with the whole. */
export async function withNames(
  db: Db,
  org: OrgId,
  app: string,
  contents: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const given = contents["dependencies"];
  if (!Array.isArray(given) || given.length > mostNames) return contents;
  const texts = given.filter((one) => typeof one === "string");
  if (texts.length < given.length || !texts.some((one) => one.startsWith("cmp_"))) return contents;
  const found = await findComponents(db, org, app, texts);
  return { ...contents, dependencies: texts.map((one, at) => found[at]?.name ?? one) };
}

const mostNames = 1000;

/** An app's components by their ids or names; none for what is not there. */
async function findComponents(
  db: Db,
  org: OrgId,
  app: string,
  given: readonly string[],
): Promise<(NamedRow | undefined)[]> {
  if (given.length === 0) return [];
  const page = { after: undefined, limit: given.length, offset: 0 };
  const found = await Promise.all(
    [{ component_ids: given }, { names: given }].map(
      async (filter) => await listNamedParts(db, org, { kind: "components", app, filter, ...page }),
    ),
  );
  const byId = new Map(found.flat().map((one) => [one.id, one]));
  const byName = new Map(found.flat().map((one) => [nameKey(one.name), one]));
  return given.map((one) => byId.get(one) ?? byName.get(nameKey(one)));
}
