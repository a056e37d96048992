import type { Handler } from "../jobs/handler.ts";

/** Jobs that do nothing: they show that everything on the way to them works. */
export const noop: Handler = {
  types: ["noop", "noop-build", "noop-sync", "noop-deploy"],
  validate: () => ({ execute: async () => await Promise.resolve({}) }),
};
