import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestOf } from "../issue-words.ts";
import { acceptsEvent, type EventFacts } from "./accepts-event.ts";
import {
  type EventResource,
  eventResourceNames,
  eventResources,
  eventTransitionNames,
  interestOutcomes,
} from "./event-resources.ts";
import { interestsSchema } from "./interests.ts";
import { matchKinds, matchSchema } from "./match.ts";
import { slugsOf } from "./slugs-of.ts";

type Asked = {
  all_events?: boolean;
  resources?: Partial<Record<EventResource, Record<string, unknown>>>;
};
type Told = {
  resource: string;
  op: string;
  transition: (typeof eventTransitionNames)[number];
  type: string;
};

/** The rules of the contract, read once more and written another way: by what is told, not by slugs. */
function oracle(asked: Asked, { resource, op, transition, type }: Told): boolean {
  const isLifecycle = ["started", "succeeded", "failed", "cancelled"].includes(transition);
  if (isLifecycle && type.startsWith("drift_run")) return false;
  if (asked.all_events === true) return true;
  const wanted = asked.resources?.[resource as EventResource];
  if (wanted === undefined) return false;
  if (transition === "requested") return wanted["approval_requests"] === true;
  if (transition === "detected") return wanted["drift_detected"] === true;
  if (transition === "approved" || transition === "rejected") {
    return wanted["approval_responses"] === true;
  }
  const ops = (wanted["ops"] ?? []) as string[];
  const listed: readonly string[] = eventResources[resource as EventResource];
  if (!(ops.length === 0 ? listed : ops).includes(op)) return false;
  switch (wanted["outcome"] ?? "all") {
    case "all":
      return true;
    case "completion":
      return transition !== "started";
    case "failures":
      return transition === "failed" || transition === "cancelled";
    default:
      return false;
  }
}

const interestIn = (resource: EventResource) =>
  fc.record(
    {
      ops: fc.array(fc.constantFrom<string>(...eventResources[resource])),
      outcome: fc.constantFrom(...interestOutcomes),
      approval_requests: fc.boolean(),
      approval_responses: fc.boolean(),
      drift_detected: fc.boolean(),
    },
    { requiredKeys: [] },
  );
const resources = fc.record(
  Object.fromEntries(eventResourceNames.map((name) => [name, interestIn(name)])),
  { requiredKeys: [] },
);
const interests: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({ all_events: fc.constant(true), resources }, { requiredKeys: ["all_events"] }),
  fc.record({ all_events: fc.constant(false), resources }, { requiredKeys: ["resources"] }),
);
const told: fc.Arbitrary<Told> = fc
  .constantFrom<EventResource | "apps">(...eventResourceNames, "apps")
  .chain((resource) =>
    fc.record({
      resource: fc.constant(resource),
      op: fc.constantFrom(
        ...(resource === "apps" ? [] : eventResources[resource]),
        "app_config_build",
      ),
      transition: fc.constantFrom(...eventTransitionNames),
      type: fc.constantFrom("provision", "drift_run", "drift_run_reprovision_sandbox"),
    }),
  );

const factsOf = (one: Told, entities: EventFacts["entities"] = []): EventFacts => ({
  workflow_type: one.type,
  slugs: slugsOf(one),
  entities,
});

test("an event is wanted as the contract says, whatever is asked and told", () => {
  fc.assert(
    fc.property(interests, told, (asked, one) => {
      const subscription = { interests: interestsSchema.parse(asked), match: null };
      expect(acceptsEvent(subscription, factsOf(one))).toBe(oracle(asked, one));
    }),
    { numRuns: 2000 },
  );
});

test("interests are read into one form: reading that again, or in another order, changes nothing", () => {
  fc.assert(
    fc.property(interests, (asked) => {
      const read = interestsSchema.parse(asked);
      expect(interestsSchema.parse(read)).toEqual(read);
      const turned = { ...asked, resources: turn(asked.resources) };
      expect(JSON.stringify(interestsSchema.parse(turned))).toBe(JSON.stringify(read));
    }),
  );
});

function turn(given: Asked["resources"]): Record<string, unknown> | undefined {
  if (given === undefined) return undefined;
  const entries = Object.entries(given).toReversed();
  return Object.fromEntries(
    entries.map(([name, { ops, ...rest }]) => {
      const list = (ops as string[] | undefined)?.toReversed();
      return [name, { ...rest, ...(list !== undefined && { ops: [...list, ...list] }) }];
    }),
  );
}

describe("interests", () => {
  test.each([
    [{}, "", "neither_shape"],
    [{ all_events: false }, "", "neither_shape"],
    [null, "", undefined],
    ["all", "", undefined],
    [{ resources: null }, "resources", undefined],
    [{ resources: { runners: { ops: ["explode"] } } }, "resources.runners.ops.0", "unknown_op"],
    [{ resources: { runners: { ops: ["deploy"] } } }, "resources.runners.ops.0", "unknown_op"],
    [{ resources: { runners: { outcome: "some" } } }, "resources.runners.outcome", undefined],
    [{ resources: { planets: {} } }, "resources", undefined],
    [{ all_events: true, more: 1 }, "", undefined],
    [
      { resources: { installs: { approval_requests: "yes" } } },
      "resources.installs.approval_requests",
      undefined,
    ],
  ])("%j are refused at %j", (given, path, code) => {
    const [issue] = interestsSchema.safeParse(given).error?.issues ?? [];
    expect(issue?.path.join(".")).toBe(path);
    expect(issue).toMatchObject(code === undefined ? {} : { params: { code } });
  });

  test("in nothing are legal and silent", () => {
    const silent = { interests: interestsSchema.parse({ resources: {} }), match: null };
    fc.assert(fc.property(told, (one) => !acceptsEvent(silent, factsOf(one))));
  });

  test("all events alone is how all events and something else is kept", () => {
    const given = { all_events: true, resources: { runners: {} } };
    expect(interestsSchema.parse(given)).toEqual({ all_events: true });
  });
});

describe("a match", () => {
  const words = fc.constantFrom("a", "b", "c");
  const labels = fc.dictionary(words, words, { maxKeys: 3 });
  const entity = fc.record({ kind: fc.constantFrom(...matchKinds), id: words, labels });
  const wanted = fc.record(
    {
      ids: fc.array(words, { minLength: 1, maxLength: 3 }),
      selector: fc.record({
        match_labels: fc.dictionary(words, fc.constantFrom("a", "b", "*"), {
          minKeys: 1,
          maxKeys: 2,
        }),
      }),
    },
    { requiredKeys: [] },
  );
  const matches = fc.record(
    { installs: wanted, components: wanted, actions: wanted },
    { requiredKeys: [] },
  );
  const all = interestsSchema.parse({ all_events: true });
  const event: Told = {
    resource: "installs",
    op: "provision",
    transition: "started",
    type: "provision",
  };

  test("accepts as the contract says: any kind, an id or all of the labels", () => {
    fc.assert(
      fc.property(matches, fc.array(entity, { maxLength: 4 }), (asked, entities) => {
        const kinds = Object.entries(asked);
        const expected =
          kinds.length === 0 ||
          kinds.some(([kind, { ids, selector }]) =>
            entities
              .filter((one) => one.kind === kind)
              .some(({ id, labels: has }) => {
                if (ids === undefined && selector === undefined) return true;
                const all = Object.entries(selector?.match_labels ?? {});
                const fits = all.filter(([key, value]) =>
                  value === "*" ? key in has : has[key] === value,
                );
                return (ids ?? []).includes(id) || (all.length > 0 && fits.length === all.length);
              }),
          );
        const subscription = { interests: all, match: matchSchema.parse(asked) };
        expect(acceptsEvent(subscription, factsOf(event, entities))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("is read into one form", () => {
    fc.assert(
      fc.property(matches, (asked) => {
        const read = matchSchema.parse(asked);
        expect(matchSchema.parse(read)).toEqual(read);
        const turned = Object.fromEntries(Object.entries(asked).toReversed());
        expect(JSON.stringify(matchSchema.parse(turned))).toBe(JSON.stringify(read));
      }),
    );
    expect(matchSchema.parse({})).toBeNull();
    expect(matchSchema.parse({ installs: { ids: ["b", "a", "b"] } })).toEqual({
      installs: { ids: ["a", "b"] },
    });
  });

  test.each([
    [{ installs: { ids: [] } }, "installs.ids"],
    [{ installs: { selector: {} } }, "installs.selector.match_labels"],
    [{ installs: { selector: { match_labels: {} } } }, "installs.selector.match_labels"],
    [{ installs: null }, "installs"],
    [{ actions: { ids: [""] } }, "actions.ids.0"],
    [
      { components: { selector: { match_labels: { "": "x" } } } },
      "components.selector.match_labels.",
    ],
    [{ planets: {} }, ""],
    [[], ""],
  ])("%j is refused at %j", (given, path) => {
    const [issue] = matchSchema.safeParse(given).error?.issues ?? [];
    // A match may be null, too: what is wrong with it is told by the nearest form.
    const [nearest = issue] =
      issue?.code === "invalid_union" ? (nearestOf(issue.errors) ?? []) : [];
    expect(nearest?.path.join(".")).toBe(path);
  });
});
