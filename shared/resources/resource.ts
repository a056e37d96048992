import { type RouteConfig, z } from "@hono/zod-openapi";
import { createRoute } from "../api/create-route.ts";
import { paramsOf } from "../api/id-param.ts";
import { listingDescription, listingOf, listingQuery } from "../api/listing.ts";
import { pageOrArrayOf, pageQuery } from "../api/page.ts";
import { json } from "../api/response.ts";
import type { IdName } from "../id-names.ts";
import { type IdPrefix, idPrefixes } from "../id-prefixes.ts";
import type { Permission } from "../permissions.ts";
import type { RouteRule } from "../route-rule.ts";
import type { Filters } from "./filters.ts";
import type { Members, ShapeOf } from "./members.ts";
import { type Parent, parents } from "./parents.ts";

/**
 * What a type is, said once. From it derive its schema, the routes that list and read it, what these do (broker/resources/), and lines and
 * completion of the command line.
 * - noun, plural: in sentences; schema: its name in the OpenAPI document, from which the operations' ids derive.
 * - operation: in the ids of its operations, where it is not `schema`.
 * - paged: `cursor`, its lists answer pages, and an array only where `offset` or `page` is given.
 * - path: of the list; under: the things that it names, each of which must be there; also: the list answers under these, too, without
 *   the filter of their id.
 * - bound: what tokens that are bound to an app or an install may do: `path`, they are let in where the path names something of their own;
 *   `list`, the list is open to them and shows what they reach.
 * - says: sentences that do not follow from the noun. `list` and `get` are summaries, `listed` comes before what is told of all lists, `got`
 *   tells what a read answers.
 */
export type ResourceSpec = {
  readonly noun: string;
  readonly plural: string;
  readonly schema: string;
  readonly operation?: string;
  readonly tag: string;
  readonly prefix: IdPrefix;
  readonly param: IdName;
  readonly path: string;
  readonly under: readonly Parent[];
  readonly also?: readonly Parent[];
  readonly surface: RouteRule["surface"];
  readonly read: Permission;
  readonly opens: readonly ("list" | "get")[];
  readonly bound: "path" | "list";
  readonly paged?: "cursor";
  readonly says?: { readonly [Of in "list" | "listed" | "get" | "got"]?: string };
  readonly members: Members;
  readonly filters: Filters;
};

/** Any of them. */
export type AnyResource = ResourceSpec & {
  readonly itemSchema: z.ZodType;
  readonly params: z.ZodObject;
  readonly listOf: { readonly [Kind in Parent]?: RouteConfig };
  /** All that it opens, in the order of the document. */
  readonly routes: readonly RouteConfig[];
};
/** An item of a resource, as the API shows it. */
export type ItemOf<R extends AnyResource> = z.output<R["itemSchema"]>;

type ParamsOf<All extends readonly Parent[]> = Record<
  (typeof parents)[All[number]]["param"],
  z.ZodString
>;
type PagedByCursor = { readonly paged: "cursor" };
type QueryOf<Spec extends ResourceSpec, All extends Filters> = (Spec extends PagedByCursor
  ? typeof pageQuery
  : typeof listingQuery) & { [Name in keyof All]: All[Name]["schema"] };
type ListOf<Spec extends ResourceSpec> = ReturnType<
  Spec extends PagedByCursor
    ? typeof pageOrArrayOf<ItemSchema<Spec>>
    : typeof listingOf<ItemSchema<Spec>>
>;
type ItemSchema<Spec extends ResourceSpec> = z.ZodObject<ShapeOf<Spec["members"]>>;
type Answer<Schema extends z.ZodType> = { readonly 200: ReturnType<typeof json<Schema>> };
type Contract<Path extends string, Request, Schema extends z.ZodType> = {
  readonly operationId: string;
  readonly rule: RouteRule;
  readonly method: "get";
  readonly path: Path;
  readonly request: Request;
  readonly responses: Answer<Schema>;
};

type ListContract<
  Spec extends ResourceSpec,
  Path extends string,
  Under extends readonly Parent[],
  Query extends Filters,
> = Contract<
  Path,
  { readonly query: z.ZodObject<QueryOf<Spec, Query>> } & (Under extends readonly []
    ? object
    : { readonly params: z.ZodObject<ParamsOf<Under>> }),
  ListOf<Spec>
>;

export type Resource<Spec extends ResourceSpec> = Spec & {
  readonly itemSchema: ItemSchema<Spec>;
  /** What the path of one names. */
  readonly params: z.ZodObject<ParamsOf<Spec["under"]> & Record<Spec["param"], z.ZodString>>;
  readonly routes: readonly RouteConfig[];
  /** The list of those of one app, and the like. */
  readonly listOf: {
    readonly [Kind in AlsoOf<Spec>]: ListContract<
      Spec,
      string,
      readonly [Kind],
      Omit<Spec["filters"], (typeof parents)[Kind]["param"]>
    >;
  };
} & Pick<ContractsOf<Spec>, Spec["opens"][number]>;
type ContractsOf<Spec extends ResourceSpec> = {
  readonly list: ListContract<Spec, Spec["path"], Spec["under"], Spec["filters"]>;
  readonly get: Contract<
    `${Spec["path"]}/{${Spec["param"]}}`,
    { readonly params: Resource<Spec>["params"] },
    ItemSchema<Spec>
  >;
};
type AlsoOf<Spec extends ResourceSpec> = Spec["also"] extends readonly Parent[]
  ? Spec["also"][number]
  : never;

/** A resource, with the routes that list and read it. */
export function resource<const Spec extends ResourceSpec>(spec: Spec): Resource<Spec> {
  const shape = Object.entries(spec.members).map(([name, { schema }]) => [name, schema]);
  const itemSchema = z.object(Object.fromEntries(shape)).openapi(spec.schema);
  const one = `${spec.path}/{${spec.param}}`;
  const params = paramsOf(one);
  const opens = new Set(spec.opens);
  const list = opens.has("list") ? listRoute(spec, itemSchema) : undefined;
  const get = opens.has("get") ? getRoute(spec, itemSchema, one) : undefined;
  const of = (spec.also ?? []).map((kind) => [kind, listRoute(spec, itemSchema, kind)] as const);
  const routes = [list, ...of.map(([, route]) => route), get].filter((one) => one !== undefined);
  const made = { ...spec, itemSchema, params, list, listOf: Object.fromEntries(of), get, routes };
  return made as unknown as Resource<Spec>; // its members are made of the spec's, name by name
}

function listRoute(spec: ResourceSpec, itemSchema: z.ZodType, parent?: Parent) {
  const { says, plural, bound } = spec;
  const filters = Object.entries(spec.filters)
    .filter(([name]) => parent === undefined || name !== parents[parent].param)
    .map(([name, { schema }]) => [name, schema] as const);
  const isPaged = spec.paged === "cursor";
  const told = [says?.listed ?? [], isPaged ? [] : listingDescription].flat();
  const isOpen = bound === "list" && parent === undefined;
  return createRoute(`list${pluralOf(spec)}${parent === undefined ? "" : `Of${capital(parent)}`}`, {
    get: parent === undefined ? spec.path : underParent(spec.path, parent),
    rule: {
      surface: spec.surface,
      permission: spec.read,
      ...(isOpen && { bound: true as const }),
    },
    tags: [spec.tag],
    summary:
      parent === undefined
        ? (says?.list ?? `List ${plural}`)
        : `List ${plural} of ${idPrefixes[parents[parent].prefix].words}`,
    ...(told.length > 0 && { description: told.join(" ") }),
    query: z.object({
      ...(isPaged ? pageQuery : listingQuery),
      ...Object.fromEntries(filters),
    }),
    responses: {
      200: isPaged
        ? json(pageOrArrayOf(itemSchema), `A page of ${plural}, the newest first.`)
        : json(listingOf(itemSchema), `${capital(plural)}.`),
    },
  });
}

function getRoute(spec: ResourceSpec, itemSchema: z.ZodType, one: string) {
  return createRoute(`get${spec.operation ?? spec.schema}`, {
    get: one,
    rule: { surface: spec.surface, permission: spec.read },
    tags: [spec.tag],
    summary: spec.says?.get ?? `Read ${idPrefixes[spec.prefix].words}`,
    responses: { 200: json(itemSchema, spec.says?.got ?? `The ${spec.noun}.`) },
  });
}

/** `/v1/installs` of apps is `/v1/apps/{app_id}/installs`. */
const underParent = (path: string, parent: Parent): string =>
  path.replace(/^\/v1\//, `/v1/${parent}s/{${parents[parent].param}}/`);

const pluralOf = ({ schema, operation = schema }: ResourceSpec): string =>
  operation.endsWith("y") ? `${operation.slice(0, -1)}ies` : `${operation}s`;

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);
