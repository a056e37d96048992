import type { RouteConfig, z } from "@hono/zod-openapi";
import type { IdName } from "../id-names.ts";
import type { RouteRule } from "../route-rule.ts";
import { paramsOf } from "./id-param.ts";
import { jsonBody } from "./response.ts";

type Body = NonNullable<NonNullable<RouteConfig["request"]>["body"]>;

/**
 * One endpoint of the API.
 * - get, post, put, patch, delete: its one method, with its path. The ids that the path names are those of shared/id-names.ts.
 * - params: all that the path names, where one of them is none of these.
 * - body: the schema of a JSON body, or the body of another kind.
 * - responses: its successes. What it refuses is described for all routes at once (broker/http/gate/describe-route.ts).
 */
export type RouteSpec = Place & {
  readonly rule: RouteRule;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Body;
  readonly responses: RouteConfig["responses"];
};

const methods = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof methods)[number];
type Place = {
  [M in Method]: { readonly [Of in M]: string } & { readonly [Of in Exclude<Method, M>]?: never };
}[Method];

type MethodOf<Spec> = keyof Spec & Method;
type PathOf<Spec> = Spec[MethodOf<Spec>];
type NamesOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesOf<Rest>
  : never;

/** Refuses members that no route has, and names of the path that nothing describes. */
type Checked<Spec> = { readonly [Name in Exclude<keyof Spec, keyof RouteSpec>]: never } & (Exclude<
  NamesOf<PathOf<Spec>>,
  IdName
> extends never
  ? object
  : { readonly params: z.ZodObject });

type ParamsOf<Spec> = Spec extends { readonly params: infer Params }
  ? { readonly params: Params }
  : NamesOf<PathOf<Spec>> extends never
    ? object
    : { readonly params: z.ZodObject<Record<NamesOf<PathOf<Spec>>, z.ZodString>> };
type BodyOf<Spec> = Spec extends { readonly body: infer Given }
  ? { readonly body: Given extends z.ZodType ? ReturnType<typeof jsonBody<Given>> : Given }
  : object;
type RequestOf<Spec> = ParamsOf<Spec> & BodyOf<Spec> & Pick<Spec, keyof Spec & "query">;

/** What a route is to whoever calls, serves or describes it. */
export type RouteOf<Spec extends RouteSpec> = {
  readonly operationId: string;
  readonly rule: Spec["rule"];
  readonly method: MethodOf<Spec>;
  readonly path: PathOf<Spec> & string;
  readonly tags: string[];
  readonly summary: string;
  readonly description?: string;
  readonly request: RequestOf<Spec>;
  readonly responses: Spec["responses"];
};

/** One endpoint of the API: its rule, and the schemas that validate, type and document it. */
export function createRoute<const Spec extends RouteSpec>(
  operationId: string,
  spec: Spec & Checked<Spec>,
): RouteOf<Spec> {
  const { get, post, put, patch, delete: remove, params, query, body, ...said } = spec;
  const places = { get, post, put, patch, delete: remove };
  const method = methods.find((one) => places[one] !== undefined) ?? "get"; // it has one, by its type
  const path = places[method] ?? "";
  const named = params ?? paramsOf(path);
  const request = {
    ...(named !== undefined && { params: named }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body: "content" in body ? body : jsonBody(body) }),
  };
  return { operationId, ...said, method, path, request } as unknown as RouteOf<Spec>; // made of the spec's members, one by one
}
