import type { RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { RouteRule } from "../../shared/route-rule.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Answer } from "./answer/answer.ts";
import type { AppEnv } from "./app-env.ts";

/** A route of shared/api/, as far as its handler depends on it. */
export type HandledRoute = {
  readonly operationId: string;
  readonly rule: RouteRule;
  readonly method: RouteConfig["method"];
  readonly request?: object;
  readonly responses: object;
};

/**
 * What the handler of a route gets: no more than the route has.
 * - actor, orgId: who calls, and of which org; not of an open route.
 * - params, query, body: as their schemas read them.
 * - requiredVersion: of a route with `ifMatch`, the version that a change must meet, undefined for any; 412 for a tag that no version
 *   can have.
 * - withPermit: of a route with `ownPermit`; each read takes a permit.
 * - c: the request itself, for what is rare: headers of the answer, an answer in pieces.
 */
export type Call<R extends HandledRoute> = { readonly c: Context<AppEnv> } & CallerOf<R["rule"]> &
  VersionOf<R["rule"]> &
  ParamsOf<R["request"]> &
  QueryOf<R["request"]> &
  BodyOf<R>;

type CallerOf<Rule> = Rule extends { readonly permission: null }
  ? object
  : { readonly actor: Actor; readonly orgId: Actor["orgId"] } & (Rule extends {
      readonly ownPermit: true;
    }
      ? { readonly withPermit: WithPermit }
      : object);
type VersionOf<Rule> = Rule extends { readonly ifMatch: true }
  ? { readonly requiredVersion: () => number | undefined }
  : object;
type ParamsOf<Request> = Request extends { readonly params: infer Schema extends z.ZodType }
  ? { readonly params: z.output<Schema> }
  : object;
type QueryOf<Request> = Request extends { readonly query: infer Schema extends z.ZodType }
  ? { readonly query: z.output<Schema> }
  : object;
type JsonBody<Schema extends z.ZodType> = {
  readonly body: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
};
type BodyOf<R extends HandledRoute> = R["rule"] extends { readonly otlp: true }
  ? object
  : R["request"] extends JsonBody<infer Schema>
    ? { readonly body: z.output<Schema> }
    : object;

/** What becomes this JSON: the same, and nothing of it need be writable. */
type Wire<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Wire<Value[Name]> }
  : Value;
type ValueOf<Success> = Success extends { readonly content: infer Content }
  ? Content extends { readonly "application/json": { readonly schema: infer Schema } }
    ? Schema extends z.ZodType
      ? unknown extends z.output<Schema>
        ? Response
        :
            | Wire<z.output<Schema>>
            | (Exclude<keyof Content, JsonType> extends never ? never : Response)
      : never
    : Response
  : void;
type JsonType = "application/json";
type AnswerOf<Status extends number, Value> = Value extends Response
  ? Response
  : Answer<Status, Value extends void ? undefined : Value>;
type IsUnion<One, All = One> = One extends unknown ? ([All] extends [One] ? false : true) : never;

/**
 * What it returns: the body of its route's success, undefined where that has none; of several an `answer(status, body)`. What is no JSON is
 * a whole Response.
 */
export type Returned<R extends HandledRoute> = R extends unknown
  ? IsUnion<keyof R["responses"]> extends true
    ? {
        [Status in keyof R["responses"] & number]: AnswerOf<
          Status,
          ValueOf<R["responses"][Status]>
        >;
      }[keyof R["responses"] & number]
    : ValueOf<R["responses"][keyof R["responses"]]>
  : never;

/** Opens a route: what its handler returns is answered with the route's own status. */
export type HandleRoute = <R extends HandledRoute>(
  route: R,
  handler: (call: Call<R>) => Returned<R> | Promise<Returned<R>>,
) => void;
