import { createSignInLinkRoute } from "../../../shared/api/create-sign-in-link.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { createSignInLink as makeLink } from "../../sessions/sign-in.ts";

/** POST /v1/sign-in-links */
export const createSignInLink: RegisterRoutes = (app, broker) => {
  app.handle(createSignInLinkRoute, async ({ actor }) => {
    const { row, secret } = await makeLink(broker.db, actor);
    const body = { path: `/sign-in?link=${secret}`, expires_at: row.expires_at.toISOString() };
    return body;
  });
};
