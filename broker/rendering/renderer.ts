import { quickBudget, RenderWork } from "../../shared/app-config/templates/render-work.ts";
import type { Metrics } from "../metrics.ts";
import type { WorkKinds } from "../work-pool/work-kinds.ts";
import type { WorkPool } from "../work-pool/work-pool.ts";
import {
  type GivenOf,
  type RenderedOf,
  type Rendering,
  type RenderingName,
  renderings,
} from "./renderings.ts";

/** What is to be rendered, and for whom. */
export type RenderOrder<Name extends RenderingName> = {
  readonly orgId: string;
  readonly name: Name;
  readonly given: GivenOf<Name>;
};

/**
 * Renders: at once what takes a few milliseconds, and all else in a child process, with the whole budget. Hold no permit for the database
 * meanwhile. Refuses as the pool of these processes does.
 */
export type Renderer = <Name extends RenderingName>(
  order: RenderOrder<Name>,
  gone?: AbortSignal,
) => Promise<RenderedOf<Name>>;

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
  return async ({ orgId, name, given }, gone) => {
    const quick = new RenderWork(quickBudget);
    const render = renderings[name] as Rendering<unknown, unknown>; // its row has both
    const rendered = render(given, quick);
    steps.add({ name }, quick.steps);
    ends.add({ name, where: quick.isSpent ? "child" : "here" });
    if (!quick.isSpent) return rendered as never; // as its row has it
    const bytes = [Buffer.from(JSON.stringify(given))];
    const done = await work.run({ orgId, kind: "render", asked: { name }, bytes }, gone);
    return JSON.parse(String(done.bytes[0])) as never; // the same, as JSON
  };
}
