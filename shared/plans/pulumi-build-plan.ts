import { z } from "zod";
import { words } from "./plan-members.ts";

/** A program for Pulumi. */
export const pulumiBuildPlan = z.looseObject({
  labels: words,
});
