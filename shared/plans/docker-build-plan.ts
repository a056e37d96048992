import { z } from "zod";
import { text, words } from "./plan-members.ts";

/** An image that is built by a Dockerfile. */
export const dockerBuildPlan = z.looseObject({
  build_args: words,
  context: text,
  dockerfile: text,
  target: text,
});
