import { reseal as seal } from "../seals/reseal.ts";
import type { Task } from "./task.ts";

const named = 100;

/** Seals with the newest key what older keys sealed and what is unsealed; logs what does not open. */
export const reseal: Task = async (broker, { signal }) => {
  const { sealed, broken } = await seal(broker, signal);
  if (sealed > 0) broker.log.info({ sealed }, "resealed with the newest key");
  if (broken.length === 0) return;
  const told = { broken: broken.length, ids: broken.slice(0, named) };
  broker.log.error(told, "some sealed values cannot be opened; their keys are kept");
};
