import type { Broker } from "../broker.ts";
import { outlineOfTexts, type PlanOutline } from "./plan-outline.ts";

/** Longer plans are looked into by a child process. */
const mostAtOnceLetters = 64 * 1024;

/** The outline of a plan, and of its twin for people if it has one. */
export async function readOutline(
  work: Pick<Broker["work"], "run">,
  orgId: string,
  { text, shown }: { readonly text: string; readonly shown: string | undefined },
): Promise<PlanOutline> {
  const texts = shown === undefined ? [text] : [text, shown];
  if (texts.every(({ length }) => length <= mostAtOnceLetters)) return outlineOfTexts(text, shown);
  const bytes = texts.map((one) => Buffer.from(one));
  const done = await work.run({ orgId, kind: "plans.outline", asked: {}, bytes });
  return JSON.parse(String(done.bytes[0])) as PlanOutline; // written by it
}
