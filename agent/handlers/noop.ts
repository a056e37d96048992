import type { Handler } from "../jobs/handler.ts";

/** Jobs that do nothing: they test the way from the control plane to the agent and back. */
export const noop: Handler = {
  types: ["noop", "noop-build", "noop-sync", "noop-deploy"],
  validate: () => ({ execute: async () => await Promise.resolve({}) }),
};
