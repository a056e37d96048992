import { availableParallelism } from "node:os";
import { whole } from "../setting-schemas.ts";

/** The setting of the child processes that do work. */
export const workSettings = {
  SVC_WORK_PROCESSES: {
    schema: whole(1, 256).optional(),
    doc: "Maximum number of child processes in which one broker checks configs and renders large templates, each with up to 448 MiB. As many, but at most two, read large bodies (up to 1,024 MiB each), and one reads large states (up to 1,280 MiB). Default: the cores less one, at least 1.",
  },
  SVC_WORK_NICE: {
    schema: whole(0, 19).default(10),
    doc: "Niceness of these processes: how far they stand back for the broker and others on its machine. 0: not at all.",
  },
} as const;

/** How many child processes there may be, by default by the cores. */
export const workProcessesOf = (given: number | undefined): number =>
  given ?? Math.max(1, availableParallelism() - 1);
