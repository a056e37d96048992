import { hiddenValue } from "../../hidden-value.ts";
import { evaluateValue } from "./evaluate-expression.ts";
import { isList, isMap, type Json, type JsonObject } from "./json-value.ts";
import { parseTemplate } from "./parse-template.ts";
import { RenderError, renderLimits, TooMuchWork } from "./render-work.ts";
import { type RenderBy, type RenderFault, Rendering, type RenderPlace } from "./rendering.ts";
import { notedText, runNodes } from "./run-nodes.ts";
import type { TemplateNode } from "./template-nodes.ts";
import { TwinText } from "./twin-text.ts";

type Failed = { readonly faults: readonly RenderFault[]; readonly masked?: undefined };
/** Only where something sensitive shows in what was rendered: its twin for people, and the sensitive texts that were made. */
type Masked<Twin> = {
  readonly masked?: { readonly twin: Twin; readonly secrets: readonly string[] };
};

/** A text, or every reason why there is none. */
export type RenderedText =
  | ({ readonly text: string; readonly faults?: undefined } & Masked<string>)
  | (Failed & { readonly text?: undefined });

/** A value, or every reason why there is none. */
export type RenderedValue =
  | ({ readonly value: Json; readonly faults?: undefined } & Masked<Json>)
  | (Failed & { readonly value?: undefined });

/**
 * Renders a text with what is known: `state` has a member `svc`, and any other by which templates may read. Actions that
 * read none of them stay as they are, byte for byte. Whatever depends on what is sensitive of the state is masked in the
 * twin, and is in no fault.
 */
export function renderTemplate(
  text: string,
  state: JsonObject,
  place: RenderPlace,
  by: RenderBy = {},
): RenderedText {
  const rendering = new Rendering(state, place, by);
  const end = rendering.finish(() => {
    rendering.begin(place, text);
    return textBy(rendering, nodesBy(rendering, text));
  });
  if (!("rendered" in end)) return { faults: end };
  const { plain, twin } = end.rendered;
  return { text: plain, ...maskedBy(rendering, twin) };
}

/** Renders what can be of a text, for people to read: an action with a fault gives nothing, and a text that is no template stays as it is. */
export function renderWhatCan(
  text: string,
  state: JsonObject,
  place: RenderPlace,
  { work }: Pick<RenderBy, "work"> = {},
): { readonly text: string; readonly faults: readonly RenderFault[] } {
  const rendering = new Rendering(state, place, { work });
  const written = new TwinText(rendering);
  const end = rendering.finish(() => {
    rendering.begin(place, text);
    runNodes({ rendering, written }, nodesBy(rendering, text));
  });
  if ("rendered" in end) return { text: written.plain, faults: [] };
  return { text: written.isEmpty ? text : written.plain, faults: end };
}

/**
 * Renders every text in a value, but for the keys of its maps. One that is exactly one action becomes what the action
 * gives, a list or number as such; its twin is a text where any of that is sensitive. All of it has the bounds of one text.
 */
export function renderValue(
  value: Json,
  state: JsonObject,
  place: RenderPlace,
  by: RenderBy = {},
): RenderedValue {
  const rendering = new Rendering(state, place, by);
  const end = rendering.finish(() => valueBy(rendering, value, place, 0));
  if (!("rendered" in end)) return { faults: end };
  const { plain, twin } = end.rendered;
  return { value: plain, ...maskedBy(rendering, twin) };
}

const maskedBy = <Twin>({ masks }: Rendering, twin: Twin): Masked<Twin> =>
  masks.hasAny ? { masked: { twin, secrets: [...masks.secrets] } } : {};

/** What is rendered, and its twin: the very same where nothing of it is masked. */
type Twins<Value> = { readonly plain: Value; readonly twin: Value };

function valueBy(
  rendering: Rendering,
  value: Json,
  place: RenderPlace,
  depth: number,
): Twins<Json> {
  const { file, member } = place;
  rendering.begin(place, "");
  rendering.work.spend(1);
  if (depth > renderLimits.depth)
    throw new TooMuchWork(`it has more than ${renderLimits.depth} levels`);
  if (typeof value === "string") return oneBy(rendering, value, place);
  if (isList(value)) {
    const all = value.map((one, at) =>
      valueBy(rendering, one, { file, member: `${member}[${at}]` }, depth + 1),
    );
    const plain = all.map((one) => one.plain);
    return { plain, twin: all.every(isPlain) ? plain : all.map((one) => one.twin) };
  }
  if (!isMap(value)) return { plain: value, twin: value };
  const members = Object.entries(value).map(([key, one]) => {
    const within = { file, member: `${member}.${key}` };
    return [key, valueBy(rendering, one, within, depth + 1)] as const;
  });
  const plain = Object.fromEntries(members.map(([key, one]) => [key, one.plain]));
  if (members.every(([, one]) => isPlain(one))) return { plain, twin: plain };
  return { plain, twin: Object.fromEntries(members.map(([key, one]) => [key, one.twin])) };
}

const isPlain = ({ plain, twin }: Twins<Json>): boolean => plain === twin;

function oneBy(rendering: Rendering, text: string, place: RenderPlace): Twins<Json> {
  rendering.begin(place, text);
  const nodes = nodesBy(rendering, text);
  const [only, ...others] = nodes;
  if (only?.kind !== "output" || others.length > 0) return textBy(rendering, nodes);
  const { found, taint } = rendering.guarded(only.expression.at, () => {
    const value = evaluateValue(rendering, only.expression);
    if (value.taint !== undefined) rendering.isSwayed = true; // by all that is in it
    rendering.work.spendValue(value.found);
    return { found: { plain: value.found, text: notedText(rendering, value) }, taint: value.taint };
  });
  if (found === undefined) return { plain: null, twin: null };
  rendering.work.write(found.text);
  if (taint === undefined) return { plain: found.plain, twin: found.plain };
  rendering.masks.add(found.text);
  return { plain: found.plain, twin: hiddenValue };
}

/** Parsing is work, too. */
function nodesBy(rendering: Rendering, text: string): readonly TemplateNode[] {
  const { work, roots } = rendering;
  work.spendText(text.length);
  const { nodes, faults } = parseTemplate(text, roots, { spend: (steps) => work.spend(steps) });
  for (const { at, detail } of faults) rendering.tell(new RenderError(detail, at));
  return faults.length === 0 ? nodes : [];
}

function textBy(rendering: Rendering, nodes: readonly TemplateNode[]): Twins<string> {
  const written = new TwinText(rendering);
  runNodes({ rendering, written }, nodes);
  const { plain } = written;
  return { plain, twin: rendering.masks.hasAny ? written.shown : plain };
}
