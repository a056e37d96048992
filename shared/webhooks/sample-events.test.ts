import { describe, expect, test } from "vitest";
import { expectDescribed } from "../../test/support/webhooks/expect-sound-events.ts";
import { acceptsEvent } from "./accepts-event.ts";
import {
  driftResources,
  eventResourceNames,
  eventResources,
  eventTransitionNames,
} from "./event-resources.ts";
import { interestsSchema } from "./interests.ts";
import { allSamples, chooseSample, sampleEvent, sampleEventNames } from "./sample-events.ts";
import { attributesOf } from "./stored-event.ts";

type Target = { readonly target_type?: string; readonly target_id?: string };
const whose = { orgId: "org_1", id: "ping-1", at: new Date("2026-11-27T08:00:00Z") };

describe("samples", () => {
  test("are of everything that subscriptions name, and of drift", () => {
    const named = eventResourceNames.flatMap((resource) => [
      ...eventResources[resource].map((op) => `${resource}.${op}`),
      ...(driftResources.includes(resource) ? [`${resource}.drift`] : []),
    ]);
    expect(new Set<string>(sampleEventNames)).toEqual(new Set(named));
    const told = new Set(allSamples.map(({ transition }) => transition));
    expect([...told].toSorted()).toEqual(eventTransitionNames.toSorted());
  });

  test.each(allSamples)("of $event, $transition of a $kind, is as the document says", (sample) => {
    const event = sampleEvent(sample, whose);
    expectDescribed(JSON.stringify({ specversion: "1.0", ...attributesOf(event) }));
    const { target_type: type, target_id: target } = (event.data["step"] ?? {}) as Target;
    const isStep = sample.kind === "workflow_step";
    expect([type !== undefined, target !== undefined]).toEqual([isStep, isStep]);
    const [resource = "", op = ""] = sample.event.split(".");
    const wanted = {
      ops: op === "drift" ? [] : [op],
      approval_requests: true,
      approval_responses: true,
      ...(op === "drift" && { drift_detected: true }),
    };
    const interests = interestsSchema.parse({ resources: { [resource]: wanted } });
    const { type: workflow } = event.data["workflow"] as { type: string };
    const facts = { workflow_type: workflow, slugs: event.slugs, entities: [] };
    expect(acceptsEvent({ interests, match: null }, facts)).toBe(true);
  });

  test.each([
    [{}, { event: "installs.provision", kind: "workflow", transition: "succeeded" }],
    [
      { event: "runners.inactive" },
      { event: "runners.inactive", kind: "workflow", transition: "failed" },
    ],
    [
      { event: "components.drift" },
      { event: "components.drift", kind: "workflow_step", transition: "detected" },
    ],
    [
      { event: "actions.run", transition: "requested" },
      { event: "actions.run", kind: "workflow_step", transition: "requested" },
    ],
    [{ event: "runners.inactive", transition: "started" }, { allowed: ["failed"] }],
    [{ event: "runners.inactive", kind: "workflow_step" }, { allowed: [] }],
  ] as const)("asked for by %j are %j", (asked, chosen) => {
    expect(chooseSample(asked)).toEqual(chosen);
  });
});
