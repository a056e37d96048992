import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import type { WorkDone, WorkGiven } from "../work-pool/work-kind.ts";
import { budgets, type Rendering, type RenderingName, renderings } from "./renderings.ts";

/** Renders with the whole budget of a request; what is given and what comes of it are JSON. */
export function renderInChild({
  asked: { name },
  bytes: [given],
}: WorkGiven<{ readonly name: RenderingName }>): WorkDone<object> {
  if (given === undefined) throw new Error("there is nothing to render");
  const render = renderings[name] as Rendering<unknown, unknown>; // its row has both
  const rendered = render(parseExactly(given.toString("utf8")), new RenderWork(budgets[name]));
  return { told: {}, bytes: [Buffer.from(JSON.stringify(rendered))] };
}
