import { quickBudget, RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { type ReadValues, type StoredValues, toStateValues } from "../installs/state-values.ts";
import { isLonger } from "../is-longer.ts";
import type { Metrics } from "../metrics.ts";
import type { WorkKinds } from "../work-pool/work-kinds.ts";
import type { WorkPool } from "../work-pool/work-pool.ts";
import type { RenderAsked } from "./render-in-child.ts";
import {
  type GivenOf,
  renderingWays,
  type RenderedOf,
  type Rendering,
  type RenderingName,
  renderings,
} from "./renderings.ts";
import { ValueReading } from "./value-reading.ts";

/** What is to be rendered, and for whom. */
export type RenderOrder<Name extends RenderingName> = {
  readonly orgId: string;
  readonly name: Name;
  readonly given: GivenOf<Name>;
  /** Of the install: read and opened only now, and of its outputs only those that are asked for. */
  readonly values: StoredValues;
};

/**
 * Renders: at once what takes a few milliseconds, and all else in a child process, with the whole budget; so is what reads
 * long values, which are not looked into here. Hold no permit for the database meanwhile. Refuses as the pool of these processes does.
 */
export type Renderer = <Name extends RenderingName>(
  order: RenderOrder<Name>,
  gone?: AbortSignal,
) => Promise<RenderedOf<Name>>;

/** Longer values are looked into by a child alone. */
const mostQuickBytes = 64 * 1024;

/** Makes a broker's renderer, which counts what it does. */
export function makeRenderer(work: Pick<WorkPool<WorkKinds>, "run">, metrics: Metrics): Renderer {
  const ends = metrics.counter(
    "svc_renderings_total",
    "What was rendered of templates, at once or in a child process.",
  );
  const steps = metrics.counter(
    "svc_quick_rendering_steps_total",
    "Steps of templates that were rendered while others waited; one of a thousand is about half a millisecond.",
  );

  return async ({ orgId, name, given, values }, gone) => {
    const way = renderingWays[name];
    const reading = new ValueReading(values, way);
    // Templates count what they read of it; a state has all of it, and its defaults of inputs may be long.
    const isShort = !way.readsAll || !isLonger(given, mostQuickBytes);
    for (;;) {
      const read = await reading.read();
      const isQuick = isShort && reading.bytes <= mostQuickBytes;
      const here = isQuick ? renderHere(name, given, read) : undefined;
      if (here !== undefined && reading.wants(here.missing)) continue;
      if (here !== undefined && !here.isSpent) {
        ends.add({ name, where: "here" });
        return here.rendered as never; // as its row has it
      }
      const there = await renderBy(work, { orgId, name, given, read }, gone);
      if (reading.wants(there.missing)) continue;
      ends.add({ name, where: "child" });
      return there.rendered as never; // the same, of JSON
    }
  };

  function renderHere(name: RenderingName, given: unknown, read: ReadValues) {
    const quick = new RenderWork(quickBudget);
    const known = toStateValues(read);
    const render = renderings[name] as Rendering<unknown, unknown>; // its row has both
    const rendered = render(given, known, quick);
    steps.add({ name }, quick.steps);
    return { rendered, isSpent: quick.isSpent, missing: [...known.outputs.missing] };
  }
}

type There = {
  readonly orgId: string;
  readonly name: RenderingName;
  readonly given: unknown;
  readonly read: ReadValues;
};

/** Has it rendered by a child: what was read goes there as it is. */
async function renderBy(
  work: Pick<WorkPool<WorkKinds>, "run">,
  { orgId, name, given, read }: There,
  gone: AbortSignal | undefined,
) {
  const { ends, leftOut, inputs, variables, outputs } = read;
  const asked: RenderAsked = {
    name,
    ends,
    leftOut,
    variables: variables.map(([one]) => one),
    outputs: outputs.map(([one]) => one),
  };
  const others = [...variables, ...outputs].map(([, value]) => value);
  const bytes = [Buffer.from(JSON.stringify(given)), inputs, ...others];
  const { told, bytes: parts } = await work.run({ orgId, kind: "render", asked, bytes }, gone);
  const [rest = Buffer.from("{}"), ...texts] = parts;
  const keeps = renderingWays[name].keepsBytes === true;
  const members = told.texts.map((member, at) => {
    const text = texts[at];
    return [member, keeps || text === undefined ? text : textOf(text)] as const;
  });
  const rendered = { ...(JSON.parse(textOf(rest)) as object), ...Object.fromEntries(members) };
  return { rendered, missing: told.missing };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
