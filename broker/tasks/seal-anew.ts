import { sealAnew as seal } from "../seals/seal-anew.ts";
import type { Task } from "./task.ts";

/** Seals with the newest key what older ones sealed. */
export const sealAnew: Task = async (broker, { signal }) => {
  const sealed = await seal(broker, signal);
  if (sealed > 0) broker.log.info({ sealed }, "what older keys sealed was sealed anew");
};
