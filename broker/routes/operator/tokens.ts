import type { z } from "zod";
import {
  createBootstrapTokenRoute,
  createEnrolmentTokenRoute,
} from "../../../shared/api/enrolment.ts";
import { pruneTokensRoute } from "../../../shared/api/prune-tokens.ts";
import {
  type createTokenBody,
  createTokenRoute,
  getOwnTokenRoute,
  revokeTokenRoute,
  rotateOwnTokenRoute,
  rotateTokenRoute,
} from "../../../shared/api/tokens.ts";
import type { BoundType } from "../../../shared/permissions.ts";
import { problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { tellOutcome } from "../../http/gate/audit-gate.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { listRoles } from "../../roles/queries.ts";
import { factsOf, type ListedRole } from "../../roles/row.ts";
import { requireOperator } from "../../runners/require-operator.ts";
import type { Bound } from "../../tokens/bound/bound.ts";
import { createEnrolmentToken as makeEnrolmentToken } from "../../tokens/create-enrolment-token.ts";
import { createToken as makeToken } from "../../tokens/create-token.ts";
import { findOwnToken } from "../../tokens/find-own-token.ts";
import { permissionsHeld } from "../../tokens/permissions-held.ts";
import { pruneTokens } from "../../tokens/prune-tokens.ts";
import { findToken } from "../../tokens/queries.ts";
import { revokeToken as endToken } from "../../tokens/revoke-token.ts";
import { rotateToken as replaceToken } from "../../tokens/rotate-token.ts";
import { tokenRows, toToken, toTokenWithSecret } from "../../tokens/token-rows.ts";
import { reachOfNew, requireChange } from "../../tokens/token-rules.ts";

/** /v1/tokens and all below it, …/rotate, and tokens of runners */
export const keepTokens: RegisterRoutes = (app, broker) => {
  createToken(app, broker);
  readTokens(app, broker);
  revokeToken(app, broker);
  rotateToken(app, broker);
  createEnrolmentToken(app, broker);
  pruneRunnerTokens(app, broker);
};

/** POST /v1/tokens */
const createToken: RegisterRoutes = (app, broker) => {
  app.handle(createTokenRoute, async ({ actor, body }) => {
    const bound = boundIn(body);
    await requireOperator(broker.db, actor, { runner_id: body.runner_id });
    const own = await roleIn(broker.db, actor.orgId, body);
    const role = own?.role_type ?? body.role;
    const reach = reachOfNew(actor, {
      kind: body.kind,
      accountId: body.account_id,
      role,
      left: own && factsOf(own).left,
      grants: body.grants,
      isAdmin: body.token_type === "admin",
      isBound: bound !== undefined && body.kind !== "rt", // of that kind none is: makeToken says so
    });
    const made = await makeToken(broker.db, actor.orgId, {
      name: body.name,
      kind: body.kind,
      role,
      roleId: own?.id,
      grants: body.grants,
      accountId: body.account_id,
      runnerId: body.runner_id,
      bound,
      tokenType: body.token_type,
      issuer: body.issuer,
      sourceId: body.source_id,
      sourceType: body.source_type,
      expiresAt: body.expires_at,
      createdById: actor.id,
      reach,
    });
    return toTokenWithSecret(made);
  });
};

type NamedRole = Pick<z.infer<typeof createTokenBody>, "grants" | "role" | "role_id">;

/** The org's role that a new token is to have. */
async function roleIn(
  db: Db,
  org: OrgId,
  { role_id: id, role, grants }: NamedRole,
): Promise<ListedRole | undefined> {
  if (id === undefined) return undefined;
  const found = (await listRoles(db, org)).find((one) => one.id === id && one.org_id !== null);
  if (found === undefined) {
    const detail = "The org has no role of this id.";
    throw problem.invalid([{ pointer: "#/role_id", code: "role_not_found", detail }]);
  }
  if (role === undefined && grants.length === 0) return found;
  const pointer = role === undefined ? "#/grants" : "#/role";
  const detail = "A token with role_id has neither role nor grants: the role says what it may do.";
  throw problem.invalid([{ pointer, code: "not_allowed", detail }]);
}

type NamedBound = {
  readonly bound_type?: BoundType | undefined;
  readonly bound_id?: string | undefined;
};

function boundIn({ bound_type: type, bound_id: id }: NamedBound): Bound | undefined {
  if (type !== undefined && id !== undefined) return { type, id };
  if (type === undefined && id === undefined) return undefined;
  const lacking = type === undefined ? "bound_type" : "bound_id";
  const detail = "bound_type and bound_id are given together, or neither.";
  throw problem.invalid([{ pointer: `#/${lacking}`, code: "required", detail }]);
}

/** GET /v1/tokens, GET /v1/tokens/current, GET /v1/tokens/{token_id} */
const readTokens: RegisterRoutes = (app, broker) => {
  app.handle(getOwnTokenRoute, async ({ actor }) => {
    const row = await findOwnToken(broker.db, actor);
    return { ...toToken(row), permissions: [...actor.permissions] };
  });

  openResource(app, broker, tokenRows);
};

/** POST /v1/tokens/current/rotate, POST /v1/tokens/{token_id}/rotate */
const rotateToken: RegisterRoutes = (app, broker) => {
  app.handle(rotateOwnTokenRoute, async ({ actor }) => {
    const own = await findOwnToken(broker.db, actor);
    const made = await replaceToken(broker.db, own.org_id, { token: own, byId: actor.id });
    return toTokenWithSecret(made);
  });

  app.handle(rotateTokenRoute, async ({ actor, params }) => {
    const token = await findToken(broker.db, actor.orgId, params.token_id);
    if (token === undefined) throw problem.notFound("token");
    requireChange(actor, "rotate", token, await permissionsHeld(broker.db, token));
    await requireOperator(broker.db, actor, { runner_id: token.runner_id ?? undefined });
    const made = await replaceToken(broker.db, actor.orgId, { token, byId: actor.id });
    return toTokenWithSecret(made);
  });
};

/** DELETE /v1/tokens/{token_id} */
const revokeToken: RegisterRoutes = (app, broker) => {
  app.handle(revokeTokenRoute, async ({ actor, params: { token_id } }) =>
    toToken(await endToken(broker, actor, token_id)),
  );
};

/** POST /v1/runners/{runner_id}/prune-tokens */
const pruneRunnerTokens: RegisterRoutes = (app, broker) => {
  app.handle(pruneTokensRoute, async ({ c, actor, params: { runner_id: id } }) => {
    const revoked = await pruneTokens(broker, actor, id);
    tellOutcome(c, { revoked: revoked.join(" ") });
    return { invalidated_count: revoked.length };
  });
};

/** POST /v1/runners/{runner_id}/enrolment-tokens, /v1/installs/{install_id}/runner-bootstrap-token */
const createEnrolmentToken: RegisterRoutes = (app, broker) => {
  app.handle(
    createEnrolmentTokenRoute,
    async ({ actor: { id: createdById, orgId }, params: { runner_id: runnerId } }) => {
      const made = await makeEnrolmentToken(broker.db, orgId, { runnerId, createdById });
      return toTokenWithSecret(made);
    },
  );
  app.handle(
    createBootstrapTokenRoute,
    async ({ actor: { id: createdById, orgId }, params: { install_id: id } }) => {
      const { runner_id: runnerId } = await requireInstall(broker.db, orgId, id);
      const made = await makeEnrolmentToken(broker.db, orgId, { runnerId, createdById });
      return { ...toTokenWithSecret(made), token: made.secret };
    },
  );
};
