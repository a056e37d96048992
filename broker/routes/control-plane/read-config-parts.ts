import { configPartReads, isAlone } from "../../../shared/api/config-part-reads.ts";
import { listConfigs } from "../../app-configs/queries.ts";
import { showPart, showParts } from "../../app-configs/show-parts.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerShape } from "../../http/answer/answer-shape.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** Parts of an app's configs: of the active one, of one that is named, of all that have it. */
export const readConfigParts: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  for (const { section, latest, list, get } of configPartReads.reads) {
    app.handle(latest, async ({ c, orgId, params }) => {
      const of = { app: params.app_id, id: undefined };
      return answerInTurns(c, broker, await showPart(db, orgId, of, section));
    });
    app.handle(list, async ({ c, orgId, params, query }) => {
      const [page, created] = splitQuery(query);
      await requireApp(db, orgId, params.app_id);
      const filter = { ...created, isWhole: true } as const;
      const listed = await answerList(c, page, {
        filters: created,
        read: (request) => listConfigs(db, orgId, params.app_id, { filter, ...request }),
        toItems: (rows) => showParts(db, orgId, rows, section),
      });
      return answerInTurns(c, broker, listed);
    });
    app.handle(get, async ({ c, orgId, params }) => {
      const of = { app: params.app_id, id: params.app_config_id };
      const part = await showPart(db, orgId, of, section);
      return answerInTurns(c, broker, isAlone(section) ? answerShape(c, part, (it) => [it]) : part);
    });
  }
};
