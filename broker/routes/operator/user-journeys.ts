import * as routes from "../../../shared/api/user-journeys.ts";
import { changeJourney, createJourney, joinWaitlist } from "../../account-records/keep-journeys.ts";
import { listJourneys } from "../../account-records/queries.ts";
import { showOwnAccount } from "../../accounts/show-own-account.ts";
import { tellThere } from "../../http/answer/tell-there.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requireAccount } from "../../invites/keep-invites.ts";

/** /v1/account/user-journeys and all below it, POST /v1/general/waitlist */
export const keepUserJourneys: RegisterRoutes = (app, { db }) => {
  app.handle(
    routes.listUserJourneysRoute,
    async ({ actor }) => await listJourneys(db, requireAccount(actor)),
  );
  app.handle(routes.createUserJourneyRoute, async ({ c, actor, body }) => {
    tellThere(c, await createJourney(db, requireAccount(actor), body));
    return await showOwnAccount(db, actor);
  });
  app.handle(routes.completeUserJourneyRoute, async ({ actor, params: { journey_name: name } }) => {
    await changeJourney(db, requireAccount(actor), { journey: name, complete: true });
    return await showOwnAccount(db, actor);
  });
  app.handle(routes.resetUserJourneyRoute, async ({ actor, params: { journey_name: name } }) => {
    await changeJourney(db, requireAccount(actor), { journey: name, complete: false });
    return await showOwnAccount(db, actor);
  });
  app.handle(routes.updateUserJourneyStepRoute, async ({ actor, params, body }) => {
    const { journey_name: journey, step_name: step } = params;
    await changeJourney(db, requireAccount(actor), { journey, step, ...body });
    return await showOwnAccount(db, actor);
  });
  app.handle(routes.joinWaitlistRoute, async ({ actor, body }) => {
    const row = await joinWaitlist(db, requireAccount(actor), body.org_name);
    return {
      id: row.id,
      org_name: row.name,
      created_at: row.created_at.toISOString(),
      created_by_id: row.account_id,
      updated_at: row.updated_at.toISOString(),
    };
  });
};
