import {
  getInstallStateRoute,
  listInstallStatesRoute,
} from "../../../shared/api/install-inputs.ts";
import { listInstallEventsRoute } from "../../../shared/api/installs.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { listInstallEvents, toInstallEvent } from "../../installs/list-events.ts";
import { listStates, showState, toState } from "../../installs/show-states.ts";

/** GET /v1/installs/{install_id}/state, …/state-history, …/events */
export const readInstallHistory: RegisterRoutes = (app, broker) => {
  readStates(app, broker);
  readEvents(app, broker);
};

const readStates: RegisterRoutes = (app, broker) => {
  app.openapi(getInstallStateRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    return answerFinished(c, broker, [await showState(broker, askingOf(c, broker), id)]);
  });
  app.openapi(listInstallStatesRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: id } = c.req.valid("param");
    await requireInstall(broker.db, orgId, id);
    const { cursor, limit, offset, ...created } = c.req.valid("query");
    const page = { cursor, limit, offset };
    const listedStates = await answerListing(c, page, {
      filters: created,
      read: (request: ListRequest) => listStates(broker.db, orgId, { id, created, ...request }),
      toItem: (row) => toState(broker.seals, row),
    });
    return c.json(listedStates, 200);
  });
};

const readEvents: RegisterRoutes = (app, { db }) => {
  app.openapi(listInstallEventsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: installId } = c.req.valid("param");
    await requireInstall(db, orgId, installId);
    const { cursor, limit, offset, ...created } = c.req.valid("query");
    const page = { cursor, limit, offset };
    const events = await answerListing(c, page, {
      filters: created,
      read: (request: ListRequest) =>
        listInstallEvents(db, orgId, { installId, created, ...request }),
      toItem: toInstallEvent,
    });
    return c.json(events, 200);
  });
};
