import { grantablePermissions, type Permission } from "../../../shared/permissions.ts";
import { Problem, problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import { requireAct } from "../../queues/require-act.ts";
import { requireOperator } from "../../runners/require-operator.ts";
import type { Actor } from "../../tokens/actor.ts";
import { isNamed, outside, requirePathWithin } from "../../tokens/bound/require-within.ts";
import { setHeader } from "../answer/set-header.ts";
import type { AppContext } from "../app-types.ts";
import { requireNoNul } from "./no-such-id.ts";
import { paramsOf } from "./params-of.ts";
import { requestHeader } from "./request-header.ts";
import { resolveNames } from "./resolve-names.ts";
import { stateAuthorization } from "./state-authorization.ts";

/**
 * Admits a caller that is known, permitted, within its rate limit and, with a runner's token, at its own runner, or with
 * one that is bound to an app or install, there. A promise only when something has to be looked up.
 */
export function authorize(c: AppContext, broker: Broker, rule: RouteRule): void | Promise<void> {
  const { signedIn } = c.env ?? {};
  if (signedIn !== undefined) return checkActor(c, broker, rule, signedIn.actor);
  const authorization =
    rule.stateToken === true ? stateAuthorization(c) : requestHeader(c, "authorization");
  const org = requestHeader(c, "x-svc-org-id");
  const identify = (chosen?: string): Actor | Promise<Actor> =>
    broker.authenticator.identify(authorization, chosen, () =>
      broker.limitGuesses(c.env?.incoming),
    );
  let actor: Actor | Promise<Actor>;
  try {
    actor = identify(org);
  } catch (error) {
    return refuse(c, { error, org, identify });
  }
  if (!(actor instanceof Promise)) return checkActor(c, broker, rule, actor);
  return actor.then(
    (known) => checkActor(c, broker, rule, known),
    (error: unknown) => refuse(c, { error, org, identify }),
  );
}

type Refused = {
  readonly error: unknown;
  readonly org: string | undefined;
  readonly identify: () => Actor | Promise<Actor>;
};

/** Who names an org that the token does not reach is refused as the caller that the token is: its own org is told. */
async function refuse(c: AppContext, { error, org, identify }: Refused): Promise<never> {
  if (org !== undefined && error instanceof Problem && error.status === 404) {
    c.set("actor", await identify());
    c.set("deniedOrg", org);
  }
  throw error;
}

function checkActor(
  c: AppContext,
  broker: Broker,
  rule: RouteRule,
  actor: Actor,
): void | Promise<void> {
  c.set("actor", actor);
  const needed = actor.runnerId === null ? (rule.others ?? rule.permission) : rule.permission;
  const isLetIn = rule.or !== undefined && actor.permissions.has(rule.or);
  if (needed !== null && !isLetIn) requirePermission(actor, needed);
  if (actor.runnerId !== null) checkRunner(c, rule, actor);
  if (rule.unmetered !== true)
    for (const [name, value] of broker.rateLimiter.take(actor)) setHeader(c, name, value);
  if (c.req.url.includes("%00")) requireNoNul(c.req.param());
  const resolving = resolveNames(c, broker, actor);
  if (resolving === undefined) return checkReach(c, broker, rule, actor);
  return resolving.then(() => checkReach(c, broker, rule, actor));
}

/** Whether what the path names, by ids, is the caller's to act on. */
function checkReach(
  c: AppContext,
  broker: Broker,
  rule: RouteRule,
  actor: Actor,
): void | Promise<void> {
  const { act } = rule;
  if (act !== undefined && isNamedInQueue(c))
    return requireAct(broker.db, actor, { act, on: paramsOf(c) });
  if (actor.bound !== null) return checkBound(c, broker, rule, actor);
  if (rule.operatesRunner === true) return requireOperator(broker.db, actor, paramsOf(c));
}

/** Whether the path names a queue, or something in one; a list of all leaves out what the caller may not read. */
function isNamedInQueue(c: AppContext): boolean {
  return ["queue_id", "signal_id", "emitter_id"].some((name) => c.req.param(name) !== undefined);
}

/** Fails closed: where the path names nothing that can be its own, only a route that says it checks for itself lets it in. */
function checkBound(
  c: AppContext,
  { db }: Broker,
  rule: RouteRule,
  actor: Actor,
): void | Promise<void> {
  const params = paramsOf(c);
  if (isNamed(params)) return requirePathWithin(db, actor, params);
  if (rule.bound !== true) throw outside("this route is about the whole org");
}

/** Refuses with 403 a caller that lacks it. */
export function requirePermission({ permissions }: Actor, needed: Permission): void {
  if (permissions.has(needed)) return;
  const isGrantable = grantablePermissions.some((one) => one === needed);
  const hint = isGrantable
    ? " It shows customers' secrets, so few roles have it. An admin of the org can grant it (docs/access.md)."
    : "";
  throw problem.forbidden(
    "permission_missing",
    `This token lacks the permission ${needed}.${hint}`,
  );
}

/** Fails closed: where the path names no runner, only a route that says it checks for itself lets it in. */
function checkRunner(c: AppContext, rule: RouteRule, actor: Actor): void {
  const runnerId = c.req.param("runner_id");
  if (runnerId !== undefined) requireRunner(actor, runnerId);
  else if (rule.ownRunner === undefined) {
    throw problem.forbidden("runner_only", "A runner token only gives access to its own runner.");
  }
}

/** Refuses with 404 a caller whose token is bound to another runner. */
export function requireRunner(actor: Actor, runnerId: string): void {
  if (actor.runnerId !== null && actor.runnerId !== runnerId) throw problem.notFound("runner");
}
