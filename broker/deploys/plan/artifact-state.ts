import {
  isMap,
  type Json,
  type JsonObject,
} from "../../../shared/app-config/templates/json-value.ts";
import { memberName, memberNamed } from "../../../shared/app-config/templates/member-of.ts";
import type { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { memberTaint, type Taint } from "../../../shared/app-config/templates/taint.ts";
import { hiddenIn, sensitiveOf, type StateFacts, stateOf } from "../../installs/install-state.ts";
import type { Members } from "./deploy-kind.ts";

/** What templates of an artifact read of an install, as the members of a plan, and as people are shown it. */
type ArtifactState = { readonly plan: Members; readonly twin: Members };

/**
 * The values at the paths that templates of an artifact read, and no others: the agent renders with them. What is not there is left
 * out: the agent says who needs it. Throws TooMuchWork, and RenderError for outputs that are too many.
 */
export function artifactState(
  references: readonly string[],
  facts: StateFacts,
  work: RenderWork,
): ArtifactState | undefined {
  const paths = references.filter((path) => path !== "").map((path) => path.split("."));
  if (paths.length === 0) return undefined;
  const state = stateOf(facts);
  const sensitive = sensitiveOf(facts, work);
  const found = paths.flatMap((path) => placeIn(state, sensitive, { path, work }) ?? []);
  const tainted = found.filter(({ taint }) => taint !== undefined);
  const marks = treeOf(tainted.map(({ path, taint }) => ({ path, value: taint })));
  const sensitiveMember = tainted.length > 0 && { state_sensitive: marks };
  return {
    plan: { state: treeOf(found), ...sensitiveMember },
    twin: {
      state: treeOf(
        found.map(({ path, value, taint }) => ({ path, value: hiddenIn(value, taint) })),
      ),
      ...sensitiveMember,
    },
  };
}

type Place<Value> = { readonly path: readonly string[]; readonly value: Value };
type Found = Place<Json> & { readonly taint: Taint };

/** The value there, or that of the last of its names before something that is no map. */
function placeIn(
  state: JsonObject,
  sensitive: Taint,
  { path, work }: { readonly path: readonly string[]; readonly work: RenderWork },
): Found | undefined {
  let [value, taint]: [Json, Taint] = [state, sensitive];
  for (const [at, key] of path.entries()) {
    if (!isMap(value)) return { path: path.slice(0, at), value, taint };
    const name = memberName(value, key, work);
    if (name === undefined) return undefined;
    value = memberNamed(value, name);
    taint = memberTaint(taint, name);
  }
  return { path, value, taint };
}

/** All of them as one: what has a place above another's has that, too. */
function treeOf<Value>(
  places: readonly Place<Value>[],
  depth = 0,
): Readonly<Record<string, unknown>> {
  const groups = Object.groupBy(places, ({ path }) => path[depth] ?? "");
  const members = Object.entries(groups).map(([name, within = []]) => {
    const whole = within.find(({ path }) => path.length === depth + 1);
    return [name, whole === undefined ? treeOf(within, depth + 1) : whole.value] as const;
  });
  return Object.fromEntries(members);
}
