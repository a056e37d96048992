import type { Broker } from "../broker.ts";
import { listRoles } from "../routes/operator/list-roles.ts";
import type { App, Door } from "./app-types.ts";

/** Every route there is, grouped by who calls it. */
const doors: readonly Door[] = [
  // Operators: who may do what
  listRoles,
];

/** Opens all routes on the app. */
export function openAllRoutes(app: App, broker: Broker): void {
  for (const open of doors) open(app, broker);
}
