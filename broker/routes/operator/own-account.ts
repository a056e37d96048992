import {
  getAuthMeRoute,
  getCurrentUserRoute,
  getOwnAccountRoute,
  validateAuthRoute,
} from "../../../shared/api/account.ts";
import { listIdentities } from "../../accounts/queries.ts";
import { showOwnAccount } from "../../accounts/show-own-account.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** GET /v1/account, and the same by the paths that command lines and SDKs call first */
export const readOwnAccount: RegisterRoutes = (app, { db }) => {
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
