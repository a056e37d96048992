import {
  type AuditEventBody,
  exportAuditEventsRoute,
  listAuditEventsRoute,
} from "../../../shared/api/audit.ts";
import { exportAuditEvents } from "../../audit/export-audit-events.ts";
import { listAuditEvents } from "../../audit/list-audit-events.ts";
import { toAuditEvent } from "../../audit/to-audit-event.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerText } from "../../http/answer/answer-large.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { cursorOf, readPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** GET /v1/audit, GET /v1/audit/export */
export const readAudit: RegisterRoutes = (app, broker) => {
  const { db, config } = broker;
  const days = config.retainAuditDays;
  app.handle(listAuditEventsRoute, async ({ c, orgId, query }) => {
    const [page, filter] = splitQuery(query);
    return await answerList(
      c,
      { ...page, hasPagesAlone: true },
      {
        filters: filter,
        read: ({ after, limit }: ListRequest) =>
          listAuditEvents(db, orgId, { filter, after, limit: limit - 1, days }),
        toItem: toAuditEvent,
      },
    );
  });
  app.handle(exportAuditEventsRoute, async ({ c, orgId, query, withPermit }) => {
    const { cursor, ...filter } = query;
    const filters = { ...filter, isExport: true };
    const { after } = readPage({ cursor, limit: 1 }, filters);
    const pieces = () =>
      exportAuditEvents(db, orgId, {
        filter,
        after,
        days,
        withPermit: withPermit,
        toLine: (row, key) =>
          JSON.stringify({
            ...toAuditEvent(row),
            cursor: cursorOf(key, filters),
          } satisfies AuditEventBody & { cursor: string }),
      });
    const text = { heldBytes: 0, pieces };
    return answerText(c, broker, { text, type: "application/x-ndjson" });
  });
};
