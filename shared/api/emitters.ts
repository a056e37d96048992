import { z } from "@hono/zod-openapi";
import { ruleOfAct } from "../queue-acts.ts";
import { createRoute } from "./create-route.ts";
import { dataQuery } from "./data-query.ts";
import { digits } from "./digits.ts";
import {
  emitterChangesSchema,
  emitterFilters,
  emitterSchema,
  emitterTicksSchema,
  newEmitterSchema,
} from "./emitter.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { pauseBody, resumeBody } from "./pause.ts";
import { queueParams } from "./queue.ts";
import { json } from "./response.ts";
import { enqueuedSignalSchema } from "./signal.ts";

const tags = ["Emitters"];
const inQueue = "/v1/queues/{queue_id}/emitters";
const path = "/v1/emitters/{emitter_id}";
const page = json(pageOrArrayOf(emitterSchema), "A page of emitters, the newest first.");
const one = json(emitterSchema, "The emitter.");

export const createEmitterRoute = createRoute("createEmitter", {
  post: inQueue,
  rule: { ...ruleOfAct("create-emitter"), idempotent: "replay", verbatim: ["signal_template"] },
  tags,
  summary: "Create an emitter",
  description:
    "Its name is unique in the queue: 409 `name_taken`. A signal type that acts, like runner-job, needs the permission for that, too.",
  params: queueParams,
  body: newEmitterSchema,
  responses: { 201: one },
});

export const listQueueEmittersRoute = createRoute("listQueueEmitters", {
  get: inQueue,
  rule: ruleOfAct("read"),
  tags,
  summary: "List the emitters of a queue",
  params: queueParams,
  query: z.object({ ...pageQuery, ...emitterFilters }),
  responses: { 200: page },
});

export const listEmittersRoute = createRoute("listEmitters", {
  get: "/v1/emitters",
  rule: ruleOfAct("read"),
  tags,
  summary: "List emitters",
  query: z.object({
    ...pageQuery,
    queue_id: z.string().max(100).optional().describe("Only emitters of this queue."),
    ...emitterFilters,
  }),
  responses: { 200: page },
});

export const getEmitterRoute = createRoute("getEmitter", {
  get: path,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read an emitter",
  query: z.object({ data: dataQuery("signal_template") }),
  responses: { 200: one },
});

export const updateEmitterRoute = createRoute("updateEmitter", {
  patch: path,
  rule: { ...ruleOfAct("update-emitter"), verbatim: ["signal_template"], ifMatch: true },
  tags,
  summary: "Change an emitter",
  description:
    "With `If-Match`, only if its version is that one: else 412. Its mode cannot change. If its schedule changes, the next tick is computed from now, and an emitter that is done becomes active again.",
  body: emitterChangesSchema,
  responses: { 200: one },
});

export const deleteEmitterRoute = createRoute("deleteEmitter", {
  delete: path,
  rule: ruleOfAct("delete-emitter"),
  tags,
  summary: "Delete an emitter",
  description: "Its signals stay.",
  responses: { 204: { description: "It was deleted." } },
});

export const pauseEmitterRoute = createRoute("pauseEmitter", {
  post: `${path}/pause`,
  rule: ruleOfAct("pause-emitter"),
  tags,
  summary: "Pause an emitter",
  description:
    "Ticks that pass during the pause are skipped, not emitted later. Pausing again replaces the note and the end. 409 `emitter_done` " +
    "for one that is done.",
  body: pauseBody,
  responses: { 200: one },
});

export const resumeEmitterRoute = createRoute("resumeEmitter", {
  post: `${path}/resume`,
  rule: ruleOfAct("resume-emitter"),
  tags,
  summary: "Resume a paused emitter",
  description:
    "Its next tick is the first from now on. If its only instant passed during the pause, it is done without having fired.",
  body: resumeBody,
  responses: { 200: one },
});

export const fireEmitterRoute = createRoute("fireEmitter", {
  post: `${path}/fire`,
  rule: { ...ruleOfAct("fire-emitter"), idempotent: "replay" },
  tags,
  summary: "Emit one signal now",
  description:
    "The schedule stays as it is. Also while it is paused or done, and whatever its overlap policy is. 429 when the queue is full.",
  body: z.strictObject({}),
  responses: {
    201: json(enqueuedSignalSchema, "The signal."),
    200: json(enqueuedSignalSchema, "The live signal that has the emitter's dedupe key."),
  },
});

export const getEmitterTicksRoute = createRoute("getEmitterTicks", {
  get: `${path}/next`,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read when an emitter emits next",
  description:
    "Of a paused emitter: the ticks it would have if it were resumed now. Of one that is done: none.",
  query: z.object({ n: digits(1, 100).default(10).describe("How many.") }),
  responses: { 200: json(emitterTicksSchema, "Its next ticks.") },
});
