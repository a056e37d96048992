import { diffInstallAppConfigRoute } from "../../../shared/api/install-app-configs.ts";
import {
  getInstallStateRoute,
  listInstallStatesRoute,
} from "../../../shared/api/install-inputs.ts";
import { getInstallEventRoute, listInstallEventsRoute } from "../../../shared/api/installs.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { diffInstallAppConfigs } from "../../installs/app-configs/diff-install-app-configs.ts";
import { installAppConfigRows } from "../../installs/app-configs/install-app-config-rows.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { listInstallEvents, showInstallEvent, toInstallEvent } from "../../installs/list-events.ts";
import { listStates, showState, toState } from "../../installs/show-states.ts";

/** GET /v1/installs/{install_id}/app-config-versions, …/state, …/state-history, …/events */
export const readInstallHistory: RegisterRoutes = (app, broker) => {
  openResource(app, broker, installAppConfigRows);
  app.handle(diffInstallAppConfigRoute, async ({ c, params }) => {
    const { install_id: installId, version_id: id } = params;
    return await diffInstallAppConfigs(broker, askingOf(c, broker), { installId, id });
  });
  readStates(app, broker);
  readEvents(app, broker);
};

const readStates: RegisterRoutes = (app, broker) => {
  app.handle(getInstallStateRoute, async ({ c, params: { install_id: id } }) =>
    answerFinished(c, broker, [await showState(broker, askingOf(c, broker), id)]),
  );
  app.handle(listInstallStatesRoute, async ({ c, orgId, params: { install_id: id }, query }) => {
    await requireInstall(broker.db, orgId, id);
    const [page, created] = splitQuery(query);
    const listedStates = await answerList(c, page, {
      filters: created,
      read: (request: ListRequest) => listStates(broker.db, orgId, { id, created, ...request }),
      toItem: (row) => toState(broker.seals, row),
    });
    return listedStates;
  });
};

const readEvents: RegisterRoutes = (app, { db }) => {
  app.handle(getInstallEventRoute, async ({ orgId, params }) => {
    const { install_id: installId, event_id: id } = params;
    await requireInstall(db, orgId, installId);
    return await showInstallEvent(db, orgId, { installId, id });
  });
  app.handle(
    listInstallEventsRoute,
    async ({ c, orgId, params: { install_id: installId }, query }) => {
      await requireInstall(db, orgId, installId);
      const [page, created] = splitQuery(query);
      const events = await answerList(c, page, {
        filters: created,
        read: (request: ListRequest) =>
          listInstallEvents(db, orgId, { installId, created, ...request }),
        toItem: toInstallEvent,
      });
      return events;
    },
  );
};
