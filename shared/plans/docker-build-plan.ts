import { z } from "zod";
import { flag, secretText, secretWords, text, words } from "./plan-members.ts";

/** An image that is built by a Dockerfile. */
export const dockerBuildPlan = z.looseObject({
  build_args: words,
  context: text,
  dockerfile: text,
  target: text,
  // What follows is ours.
  /** What `RUN --mount=type=secret` may have, by id. */
  secrets: secretWords,
  /** By which an agent knows the layers that it has kept of builds of the same component; nobody else can say it. */
  cache_key: secretText,
  no_cache: flag,
});
