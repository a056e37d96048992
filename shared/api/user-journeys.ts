import { z } from "@hono/zod-openapi";
import { mostEntries } from "../most-entries.ts";
import { accountSchema } from "./account.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { userJourneySchema } from "./user-journey.ts";

const tags = ["Access"];
const path = "/v1/account/user-journeys";
const rule = { surface: "operator", permission: "tokens.own" } as const;
const changed = json(accountSchema, "The account, with its journeys.");

const name = z.string().regex(/^[\w.-]{1,63}$/, "Must be 1 to 63 letters, digits, dots, - and _.");
const title = z.string().trim().min(1).max(200);
const named = (param: string) => name.openapi({ param: { name: param, in: "path" } });
const journeyParams = z.object({ journey_name: named("journey_name").describe("Its name.") });
const metadata = z
  .record(
    z.string().min(1).max(63),
    z.unknown().refine((value) => value !== null, { error: "Must not be null." }),
  )
  .check(mostEntries(50, "At most 50 entries are allowed."))
  .refine((given) => JSON.stringify(given).length <= 16_384, {
    error: "Must be at most 16 KiB as JSON.",
  });

export const listUserJourneysRoute = createRoute("listUserJourneys", {
  get: path,
  rule,
  tags,
  summary: "List the journeys of the account that the token acts for",
  description: "Steps that a dashboard leads a person through, in the order of their names.",
  responses: { 200: json(z.array(userJourneySchema), "The journeys.") },
});

export const createUserJourneyRoute = createRoute("createUserJourney", {
  post: path,
  rule,
  tags,
  summary: "Add a journey to the account that the token acts for",
  description:
    "One of this name with the same title and steps is there already: `Idempotent-Replayed`. 409 `name_taken` for others, `too_many_journeys` for the 17th.",
  body: z
    .strictObject({
      name,
      title,
      steps: z
        .array(z.strictObject({ name, title }))
        .min(1)
        .max(50)
        .refine((steps) => new Set(steps.map((step) => step.name)).size === steps.length, {
          params: { code: "duplicate_name" },
          error: "Two steps have one name.",
        }),
    })
    .openapi("NewUserJourney", {
      example: { name: "start", title: "Start", steps: [{ name: "org", title: "Make an org" }] },
    }),
  responses: { 201: changed },
});

export const completeUserJourneyRoute = createRoute("completeUserJourney", {
  post: `${path}/{journey_name}/complete`,
  rule,
  tags,
  summary: "Complete all steps of a journey",
  description: "Steps that are complete already stay as they are.",
  params: journeyParams,
  responses: { 200: changed },
});

export const resetUserJourneyRoute = createRoute("resetUserJourney", {
  post: `${path}/{journey_name}/reset`,
  rule,
  tags,
  summary: "Begin a journey again",
  description: "No step is complete any more; their metadata stays.",
  params: journeyParams,
  responses: { 200: changed },
});

export const updateUserJourneyStepRoute = createRoute("updateUserJourneyStep", {
  patch: `${path}/{journey_name}/steps/{step_name}`,
  rule,
  tags,
  summary: "Change a step of a journey",
  description: "422 `too_large` where the journey would have more than 64 KiB with it.",
  params: journeyParams.extend({ step_name: named("step_name").describe("The step's name.") }),
  body: z
    .strictObject({
      complete: z.boolean(),
      metadata: metadata.describe("Added to what the step has; what it names is replaced."),
    })
    .partial()
    .openapi("UserJourneyStepChanges", { example: { complete: true } }),
  responses: { 200: changed },
});

export const joinWaitlistRoute = createRoute("joinWaitlist", {
  post: "/v1/general/waitlist",
  rule,
  tags,
  summary: "Note that an account waits for an org of this name",
  description:
    "Nothing follows of it by itself: it is for the operator of this service. Of the same name it is the same record. 409 `too_many_waits` for an account's 51st.",
  body: z
    .strictObject({ org_name: z.string().trim().min(1).max(200) })
    .openapi("NewWaitlist", { example: { org_name: "Acme" } }),
  responses: {
    200: json(
      z
        .object({
          id: z.string(),
          org_name: z.string(),
          created_at: z.iso.datetime(),
          created_by_id: z.string().describe("The account."),
          updated_at: z.iso.datetime(),
        })
        .openapi("Waitlist"),
      "The record.",
    ),
  },
});
