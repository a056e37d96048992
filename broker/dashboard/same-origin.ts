import { problem } from "../../shared/problem.ts";
import type { AppContext } from "../http/app-types.ts";

/**
 * Refuses a form that another site's page sends with the person's cookie. Browsers tell where a form comes from, in
 * `Sec-Fetch-Site` or at least in `Origin`; one that tells neither is refused.
 */
export function requireSameOrigin(c: AppContext): void {
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const host = c.req.header("host");
  const isOwn =
    site === undefined ? origin !== undefined && hostOf(origin) === host : site === "same-origin";
  if (isOwn) return;
  const detail = "This form was sent from another site, so nothing was done. Open the page here.";
  throw problem.forbidden("cross_site", detail);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
