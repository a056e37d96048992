import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { App } from "../../http/app-types.ts";
import { discardBody } from "../../http/body/discard-body.ts";
import { readForm } from "../../http/body/read-form.ts";
import { auditSession } from "../../sessions/audit-session.ts";
import { updateShownOrg } from "../../sessions/queries.ts";
import { dropSession } from "../cookies.ts";
import { openPath } from "../open-path.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { endSession, makeFindReader } from "./find-reader.ts";

/** POST /sign-out, POST /shown-org */
export function openSession(app: App, broker: Broker): void {
  const find = makeFindReader(broker);

  openPath(app, broker, "POST /sign-out", async (c) => {
    requireSameOrigin(c);
    await discardBody(c);
    const reader = await find(c);
    if ("sessionId" in reader) {
      await endSession(broker, reader.sessionId);
      const { orgId, tokenId, accountId } = reader.actor;
      const requestId = c.get("requestId");
      const act = { requestId, action: "signOut", outcome: "allowed", status: 303 } as const;
      // A session has ended, whether that could be written or not.
      await auditSession(broker, reader, { ...act, orgId, tokenId, accountId }).catch(() => {});
    }
    dropSession(c, reader);
    return c.redirect("/sign-in?why=out", 303);
  });

  openPath(app, broker, "POST /shown-org", async (c) => {
    requireSameOrigin(c);
    const orgId = (await readForm(c)).get("org_id") ?? "";
    const reader = await find(c);
    if (!("sessionId" in reader)) return c.redirect("/sign-in?next=/account", 303);
    const { actor, sessionId } = reader;
    const owner = { orgId: actor.orgId, token: actor.tokenId ?? actor.id };
    const isShown = await broker.permits.run(owner, () =>
      updateShownOrg(broker.db, sessionId, orgId),
    );
    if (!isShown) throw problem.notFound("org");
    broker.authenticator.forget([sessionId]);
    return c.redirect("/", 303);
  });
}
