import { evaluateValue } from "./evaluate-expression.ts";
import { isList, isMap, type Json, type JsonObject, jsonOf } from "./json-value.ts";
import { parseTemplate } from "./parse-template.ts";
import { RenderError, renderLimits, TooMuchWork } from "./render-work.ts";
import { type RenderFault, Rendering, type RenderPlace } from "./rendering.ts";
import { runNodes } from "./run-nodes.ts";
import type { TemplateNode } from "./template-nodes.ts";

/** A text, or every reason why there is none. */
export type RenderedText =
  | { readonly text: string; readonly faults?: undefined }
  | { readonly text?: undefined; readonly faults: readonly RenderFault[] };

/** A value, or every reason why there is none. */
export type RenderedValue =
  | { readonly value: Json; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly RenderFault[] };

/**
 * Renders a text with what is known: `state` has a member `svc`, and any other by which templates may read. Actions that
 * read none of them stay as they are, byte for byte.
 */
export function renderTemplate(text: string, state: JsonObject, place: RenderPlace): RenderedText {
  const rendering = new Rendering(state, place);
  const end = rendering.finish(() => {
    rendering.begin(place, text);
    return textBy(rendering, nodesBy(rendering, text));
  });
  return "rendered" in end ? { text: end.rendered } : { faults: end };
}

/** Renders what can be of a text, for people to read: an action with a fault gives nothing, and a text that is no template stays as it is. */
export function renderWhatCan(
  text: string,
  state: JsonObject,
  place: RenderPlace,
): { readonly text: string; readonly faults: readonly RenderFault[] } {
  const rendering = new Rendering(state, place);
  const written: string[] = [];
  const end = rendering.finish(() => {
    rendering.begin(place, text);
    runNodes({ rendering, written }, nodesBy(rendering, text));
  });
  if ("rendered" in end) return { text: written.join(""), faults: [] };
  return { text: written.length === 0 ? text : written.join(""), faults: end };
}

/**
 * Renders every text in a value, but for the keys of its maps. One that is exactly one action becomes what the action
 * gives, a list or number as such. All of it has the bounds of one text.
 */
export function renderValue(value: Json, state: JsonObject, place: RenderPlace): RenderedValue {
  const rendering = new Rendering(state, place);
  const end = rendering.finish(() => valueBy(rendering, value, place, 0));
  return "rendered" in end ? { value: end.rendered } : { faults: end };
}

function valueBy(rendering: Rendering, value: Json, place: RenderPlace, depth: number): Json {
  const { file, member } = place;
  rendering.begin(place, "");
  rendering.work.spend(1);
  if (depth > renderLimits.depth)
    throw new TooMuchWork(`it has more than ${renderLimits.depth} levels`);
  if (typeof value === "string") return oneBy(rendering, value, place);
  if (isList(value))
    return value.map((one, at) =>
      valueBy(rendering, one, { file, member: `${member}[${at}]` }, depth + 1),
    );
  if (!isMap(value)) return value;
  const members = Object.entries(value).map(([key, one]) => {
    const within = { file, member: `${member}.${key}` };
    return [key, valueBy(rendering, one, within, depth + 1)] as const;
  });
  return Object.fromEntries(members);
}

function oneBy(rendering: Rendering, text: string, place: RenderPlace): Json {
  rendering.begin(place, text);
  const nodes = nodesBy(rendering, text);
  const [only, ...others] = nodes;
  if (only?.kind !== "output" || others.length > 0) return textBy(rendering, nodes);
  const value = rendering.guarded(() => {
    const found = evaluateValue(rendering, only.expression);
    rendering.work.spendValue(found);
    return found;
  });
  if (value === undefined) return null;
  rendering.work.write(typeof value === "string" ? value : jsonOf(value));
  return value;
}

function nodesBy(rendering: Rendering, text: string): readonly TemplateNode[] {
  const { nodes, faults } = parseTemplate(text, rendering.roots);
  for (const { at, detail } of faults) rendering.tell(new RenderError(detail, at));
  return faults.length === 0 ? nodes : [];
}

function textBy(rendering: Rendering, nodes: readonly TemplateNode[]): string {
  const written: string[] = [];
  runNodes({ rendering, written }, nodes);
  return written.join("");
}
