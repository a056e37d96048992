import { z } from "@hono/zod-openapi";
import { ruleOfAct } from "../queue-acts.ts";
import { signalEnds, signalStatuses } from "../queue-signal.ts";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { json } from "./response.ts";
import { callbackKinds, callbackStatuses, queueSignalSchema } from "./signal.ts";

const tags = ["Signals"];
const path = "/v1/queues/{queue_id}/signals/{signal_id}";
/** So deep a graph goes, and so many things it has. */
export const mostOfGraph = { depth: 10, nodes: 200 } as const;

export const awaitSignalRoute = createRoute("awaitSignal", {
  get: `${path}/await`,
  rule: { ...ruleOfAct("read"), ownPermit: true },
  tags,
  summary: "Wait until a signal has ended",
  description:
    "Returns within two seconds of its end, or with the signal as it is when `timeout` is over. `signal` and `result` need the permission `signals.data`.",
  query: z.object({
    timeout: z
      .string()
      .max(40)
      .optional()
      .describe("A duration, or a number of seconds; at most and by default 25s."),
    wait: z.string().max(40).optional().describe("The same; where both are given, this counts."),
  }),
  responses: { 200: json(queueSignalSchema, "The signal.") },
});

const nodeSchema = z.object({
  id: z.string().describe("Of the signal, the job or the call."),
  kind: z.enum(callbackKinds),
  depth: z.int().describe("How many ends lie between: 0 is the signal of the path."),
  status: z
    .enum([...signalStatuses, ...callbackStatuses])
    .describe(
      "Of a signal that is there; of anything else that of the callback, which is `done` once it was made.",
    ),
  type: z.string().optional().describe("Of a signal."),
  queue_id: z.string().optional().describe("Of a signal."),
  created_at: z.iso.datetime().optional().describe("Of a signal that is there."),
  finished_at: z.iso.datetime().optional().describe("Of a signal that has ended."),
});
const edgeSchema = z.object({
  from: z.string().describe("The signal."),
  to: z.string().describe("What follows its end."),
  n: z.int().describe("Which of its callbacks."),
  on: z.array(z.enum(signalEnds)),
  status: z.enum(callbackStatuses),
});
export const signalGraphSchema = z
  .object({
    root: z.string(),
    nodes: z.array(nodeSchema),
    edges: z.array(edgeSchema),
    has_more: z.boolean().describe("It is larger: only the first 200 things are here."),
  })
  .openapi("QueueSignalGraph");
export type SignalGraph = z.infer<typeof signalGraphSchema>;

export const getSignalGraphRoute = createRoute("getSignalGraph", {
  get: `${path}/graph`,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read what follows a signal, and what follows that",
  description:
    "By their callbacks. What follows a signal in a queue that the caller may not read is left out.",
  query: z.object({
    depth: digits(0, mostOfGraph.depth)
      .default(5)
      .describe("How far it goes: at most 10, 5 by default."),
  }),
  responses: { 200: json(signalGraphSchema, "The graph.") },
});
