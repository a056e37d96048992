import {
  getAuthMeRoute,
  getCurrentUserRoute,
  getOwnAccountRoute,
  validateAuthRoute,
} from "../../../shared/api/account.ts";
import { getCliConfigRoute, listCloudRegionsRoute } from "../../../shared/api/general.ts";
import {
  createStaticTokenRoute,
  deleteStaticTokenRoute,
  listStaticTokensRoute,
} from "../../../shared/api/service-accounts.ts";
import { cloudRegions } from "../../../shared/cloud-regions.ts";
import { problem } from "../../../shared/problem.ts";
import { listIdentities } from "../../accounts/queries.ts";
import { showOwnAccount } from "../../accounts/show-own-account.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requireAccount } from "../../invites/keep-invites.ts";
import { createToken } from "../../tokens/create-token.ts";
import { findToken, instantIn, listStaticTokens } from "../../tokens/queries.ts";
import { revokeToken } from "../../tokens/revoke-token.ts";
import { toToken } from "../../tokens/token-rows.ts";
import { reachOfNew } from "../../tokens/token-rules.ts";

/** GET /v1/account, the same by the paths that command lines and SDKs call first, its static tokens, and what they ask besides */
export const keepOwnAccount: RegisterRoutes = (app, broker) => {
  readOwnAccount(app, broker);
  readGeneral(app, broker);
  keepStaticTokens(app, broker);
};

const readOwnAccount: RegisterRoutes = (app, { db }) => {
  app.handle(getOwnAccountRoute, async ({ actor }) => await showOwnAccount(db, actor));
  app.handle(getCurrentUserRoute, async ({ actor }) => await showOwnAccount(db, actor));
  app.handle(getAuthMeRoute, async ({ actor }) => {
    const account = await showOwnAccount(db, actor);
    const issuers = actor.accountId === null ? [] : await listIdentities(db, actor.accountId);
    const identities = issuers.map((name) => ({ provider_type: "oidc" as const, name }));
    return { ...account, identities };
  });
  app.handle(validateAuthRoute, () => ({ valid: true as const }));
};

/** GET /v1/general/cli-config, GET /v1/general/cloud-platform/{cloud_platform}/regions */
const readGeneral: RegisterRoutes = (app, { config: { publicUrl = "" } }) => {
  app.handle(getCliConfigRoute, () => ({
    dashboard_url: publicUrl,
    root_domain: URL.parse(publicUrl)?.host ?? "",
    auth_domain: "",
    auth_client_id: "",
    auth_audience: "",
    svc_auth_enabled: false,
    oidc_federation_enabled: false,
  }));
  app.handle(listCloudRegionsRoute, ({ params: { cloud_platform: cloud } }) => {
    const regions = Object.entries(cloudRegions).find(([name]) => name === cloud)?.[1];
    if (regions === undefined)
      throw problem.notFound("cloud platform", "There is none of this name: aws, azure or gcp.");
    return Object.entries(regions).map(([value, name]) => ({
      name: value,
      value,
      display_name: name,
      icon: "",
    }));
  });
};

/** /v1/account/static-token, /v1/account/static-tokens and one of these */
const keepStaticTokens: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createStaticTokenRoute, async ({ actor, body: { name, role, ...body } }) => {
    const accountId = requireAccount(actor);
    const facts = { kind: "pat", role, grants: [], accountId } as const;
    const made = await createToken(db, actor.orgId, {
      ...facts,
      reach: reachOfNew(actor, { ...facts, isAdmin: false, isBound: false }),
      name,
      tokenType: "static",
      sourceId: body.token_identity,
      expiresAt: await instantIn(db, body.duration),
      createdById: actor.id,
    });
    return { id: made.row.id, api_token: made.secret };
  });
  app.handle(listStaticTokensRoute, async ({ actor }) => {
    const rows = await listStaticTokens(db, actor.orgId, requireAccount(actor), 100);
    return rows.map(toToken);
  });
  app.handle(deleteStaticTokenRoute, async ({ actor, params: { token_id: id } }) => {
    const token = await findToken(db, actor.orgId, id);
    const isOwn = token !== undefined && token.account_id === actor.accountId;
    if (
      !isOwn ||
      token.account_id === null ||
      token.kind !== "pat" ||
      token.token_type !== "static"
    )
      throw problem.notFound("token");
    await revokeToken(broker, actor, id);
  });
};
