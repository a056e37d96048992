import { listRolesRoute } from "../../../shared/api/roles.ts";
import type { Door } from "../../http/app-types.ts";
import { listRoles as findRoles } from "../../roles/queries.ts";
import { toRole } from "../../roles/to-role.ts";

/** GET /v1/roles */
export const listRoles: Door = (app, broker) => {
  app.openapi(listRolesRoute, async (c) => {
    const rows = await findRoles(broker.db, c.get("actor").orgId);
    return c.json({ items: rows.map(toRole), next_cursor: null }, 200);
  });
};
