import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { type ReadValues, toStateValues } from "../installs/state-values.ts";
import type { WorkDone, WorkGiven } from "../work-pool/work-kind.ts";
import { budgets, type Rendering, type RenderingName, renderings } from "./renderings.ts";

/** What is to be rendered, and whose bytes come after those of what is given and of the inputs. */
export type RenderAsked = Pick<ReadValues, "ends" | "leftOut"> & {
  readonly name: RenderingName;
  readonly variables: readonly string[];
  readonly outputs: readonly string[];
};

/** What was rendered: its long texts come as bytes after the rest, by these names. Or the outputs without which it cannot be. */
export type RenderTold = { readonly missing: readonly string[]; readonly texts: readonly string[] };

const longText = 64 * 1024;

/** Renders with the whole budget of a request; what is given and what comes of it are JSON. */
export function renderInChild({ asked, bytes }: WorkGiven<RenderAsked>): WorkDone<RenderTold> {
  const { name, ends, leftOut } = asked;
  const [given = none, inputs = none, ...others] = bytes;
  const named = (names: readonly string[]) =>
    names.map((one) => [one, others.shift() ?? none] as const);
  const values = toStateValues({
    ends,
    leftOut,
    inputs,
    variables: named(asked.variables),
    outputs: named(asked.outputs),
  });
  const render = renderings[name] as Rendering<unknown, object>; // its row has both
  const work = new RenderWork(budgets[name]);
  const rendered = render(parseExactly(given.toString("utf8")), values, work);
  const missing = [...values.outputs.missing];
  if (missing.length > 0) return { told: { missing, texts: [] }, bytes: [] };
  const texts = Object.entries(rendered).filter(
    (member): member is [string, string] =>
      typeof member[1] === "string" && member[1].length > longText,
  );
  const rest = { ...rendered, ...Object.fromEntries(texts.map(([member]) => [member, ""])) };
  return {
    told: { missing, texts: texts.map(([member]) => member) },
    bytes: [JSON.stringify(rest), ...texts.map(([, text]) => text)].map((text) =>
      Buffer.from(text),
    ),
  };
}

const none = Buffer.from("{}");
