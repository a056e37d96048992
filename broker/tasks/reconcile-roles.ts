import { reconcileRoles as reconcile } from "../roles/reconcile-roles.ts";
import type { Task } from "./task.ts";

/** Mends the rows of the service's own roles where they are not what the code says. */
export const reconcileRoles: Task = async (broker) => await reconcile(broker, { isStart: false });
