import type { RouteConfig } from "@hono/zod-openapi";
import { problem } from "../../../shared/problem.ts";
import { type Parent, parents } from "../../../shared/resources/parents.ts";
import type { AnyResource, ItemOf } from "../../../shared/resources/resource.ts";
import type { Broker } from "../../broker.ts";
import type { ListRequest } from "../../database/page-request.ts";
import type { Listed, Rows } from "../../resources/rows-of.ts";
import { answerList, type Paging, splitQuery } from "../answer/answer-list.ts";
import { asTheirs, theirsOf } from "../answer/as-theirs.ts";
import { hasVersion } from "../answer/etag.ts";
import type { App, AppContext } from "../app-types.ts";
import { requireParent } from "./require-parent.ts";

type Texts = Readonly<Record<string, string>>;
type Handle = (c: AppContext) => Promise<Response>;

/** Opens the routes that list and read a resource. */
export function openResource<R extends AnyResource, Row>(
  app: App,
  { db }: Pick<Broker, "db">,
  rows: Rows<R, Row>,
): void {
  const { resource } = rows;
  const open = app.openapi as unknown as (route: RouteConfig, handle: Handle) => void; // a resource's routes are alike
  const parentOf = new Map(
    (resource.also ?? []).map((parent) => [resource.listOf[parent], [parent]] as const),
  );
  for (const route of resource.routes) {
    const toTheirs = theirsOf(route);
    if (route.path.endsWith(`/{${resource.param}}`)) {
      open(route, async (c) => {
        c.set("toTheirs", toTheirs);
        const params: Texts = c.req.valid("param" as never);
        await requireUnder(c, db, resource.under, params);
        const item = await showItem(c, db, rows, params);
        return c.json(asTheirs(c, item as object, 200), 200);
      });
    } else {
      open(route, (c) => {
        c.set("toTheirs", toTheirs);
        return list(c, db, rows, parentOf.get(route) ?? resource.under);
      });
    }
  }
}

async function list<R extends AnyResource, Row>(
  c: AppContext,
  db: Broker["db"],
  rows: Rows<R, Row>,
  under: readonly Parent[],
): Promise<Response> {
  const { orgId, bound } = c.get("actor");
  const params: Texts = under.length === 0 ? {} : c.req.valid("param" as never);
  const query: Paging = c.req.valid("query" as never); // by its own schema
  const [paging, filter] = splitQuery(query as Paging & Texts);
  await requireUnder(c, db, under, params);
  const listed = await answerList(c, paging, {
    filters: { ...params, ...filter },
    read: (request: ListRequest) => rows.list(db, orgId, { params, filter, bound, ...request }),
    toItem: (row: Listed<Row>) => rows.toItem(row),
  });
  return c.json(asTheirs(c, listed as object, 200), 200);
}

/** 404 where there is nothing that it would be under. */
async function requireUnder(
  c: AppContext,
  db: Broker["db"],
  under: readonly Parent[],
  params: Texts,
): Promise<void> {
  const last = under.at(-1);
  if (last === undefined) return;
  await requireParent[last](db, c.get("actor").orgId, params[parents[last].param] ?? "");
}

/** One of a resource, with its version as the tag of the answer; 404 when there is none. */
export async function showItem<R extends AnyResource, Row>(
  c: AppContext,
  db: Broker["db"],
  rows: Rows<R, Row>,
  params: Texts,
): Promise<ItemOf<R>> {
  const row = await rows.find(db, c.get("actor").orgId, params);
  if (row === undefined) throw problem.notFound(rows.resource.noun);
  if (rows.hasVersion) hasVersion(c, (row as { readonly version: number }).version); // it is selected
  return rows.toItem(row);
}
