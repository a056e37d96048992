import type { Permission } from "../../shared/permissions.ts";
import { Problem, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Guesses } from "../tokens/authenticator.ts";
import { findLoginAccess } from "./find-login-access.ts";
import { type Access, mostScopes, readScopes } from "./read-scopes.ts";
import type { RegistryConfig } from "./registry-settings.ts";
import { type RegistryToken, signRegistryToken } from "./sign-registry-token.ts";

/** What somebody asks for, and by which login. */
export type TokenRequest = {
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly service: string | undefined;
  readonly scopes: readonly string[];
};

type Parts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly registry: RegistryConfig | undefined;
  /** The caller whose token this is, of the org that is named; refuses. */
  readonly identify: (token: string, org?: string) => Actor | Promise<Actor>;
  readonly guesses: Guesses | undefined;
};

/**
 * A token by which the registry lets its bearer do what the login opens of what was asked for; that may be nothing. Refuses whoever has no
 * login, or that of a job which has ended.
 */
export async function issueRegistryToken(
  parts: Parts,
  { login, service, scopes }: TokenRequest,
): Promise<RegistryToken> {
  const { registry } = parts;
  if (registry?.auth !== "token")
    throw problem.notFound("registry", "No registry trusts this broker: see SVC_REGISTRY_AUTH.");
  if (service !== undefined && service !== registry.server)
    throw problem.malformed(
      "unknown_service",
      `This broker signs tokens for the service ${registry.server} alone: that is how the registry has to call itself.`,
      "?service",
    );
  const asked = readScopes(scopes);
  if (asked === undefined)
    throw problem.malformed(
      "too_many_scopes",
      `At most ${mostScopes} repositories are opened by one token.`,
      "?scope",
    );
  if (login === undefined) throw noLogin();
  const audience = registry.server;
  if (login.password.startsWith("svc_reg_")) {
    const access = opened(asked, await accessOfLogin(parts, audience, login));
    return await signRegistryToken(parts, { access, audience, subject: login.username });
  }
  const { actor, access } = await accessOfActor(parts, { registry, asked, token: login.password });
  return await signRegistryToken(parts, { access, audience, subject: actor.id });
}

/** What a job may by the login that was made with it, or the clusters of an install by theirs. */
async function accessOfLogin(
  { db, guesses }: Parts,
  server: string,
  login: { readonly username: string; readonly password: string },
): Promise<readonly Access[]> {
  guesses?.admit();
  const access = await findLoginAccess(db, server, login);
  if (access !== undefined) return access;
  guesses?.note();
  throw noLogin();
}

const opened = (asked: readonly Access[], access: readonly Access[]): Access[] =>
  asked.flatMap(({ repository, actions }) => {
    const may = access.find((one) => one.repository === repository)?.actions ?? [];
    const left = actions.filter((action) => may.includes(action));
    return left.length === 0 ? [] : [{ repository, actions: left }];
  });

/** What a person's token, or that of a service account, opens of its orgs' repositories, by action. */
const needed: Readonly<Record<string, Permission>> = {
  pull: "apps.read",
  push: "builds.write",
  delete: "apps.write",
};

type OfActor = {
  readonly registry: RegistryConfig;
  readonly asked: readonly Access[];
  readonly token: string;
};

async function accessOfActor(
  { identify }: Parts,
  { registry, asked, token }: OfActor,
): Promise<{ readonly actor: Actor; readonly access: readonly Access[] }> {
  const actor = await identify(token);
  requireOfOrg(actor); // also where nothing is asked for
  const own = registry.prefix === "" ? "" : `${registry.prefix}/`;
  const found: Access[] = [];
  for (const { repository, actions } of asked) {
    if (!repository.startsWith(own)) continue;
    const [org = "", ...rest] = repository.slice(own.length).split("/");
    if (!/^org_[0-9a-z]+$/.test(org) || rest.length === 0) continue;
    const there = await reached(identify, token, org);
    const may = actions.filter((action) => {
      const permission = needed[action];
      return permission !== undefined && there?.permissions.has(permission) === true;
    });
    if (may.length > 0) found.push({ repository, actions: may });
  }
  return { actor, access: found };
}

/** The caller in an org; undefined where the token does not reach it. */
async function reached(identify: Parts["identify"], token: string, org: string) {
  try {
    return await identify(token, org);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

/** Machines in customers' accounts have their jobs' logins alone. */
function requireOfOrg({ kind, bound, runnerId }: Actor): void {
  if ((kind === "pat" || kind === "sa") && bound === null && runnerId === null) return;
  throw problem.forbidden(
    "registry_login_refused",
    "Only an org's own tokens sign in to its registry: not those of runners, jobs and installs, nor tokens that are bound to an app or an install.",
  );
}

const noLogin = (): Error =>
  problem.unauthenticated(
    "The registry asks for a login: that of a job, until the job has ended, or any name and an svc token of the org. See svc registry login.",
    "invalid_token",
  );
