import { randomBytes } from "node:crypto";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { PartFinder } from "../../shared/part-finder.ts";
import { hiddenValues, type StateFacts } from "../installs/install-state.ts";
import { isLonger } from "../is-longer.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import { canSpend } from "./can-spend.ts";
import type { PlanWords } from "./plan-words.ts";

type Members = Readonly<Record<string, unknown>>;

/** A plan as it is made, and as people are shown it. */
type MadePlan = {
  readonly plan: Members;
  readonly twin: Members;
  /** Sensitive texts that templates made for it. */
  readonly made: readonly string[];
};

/** The texts of a plan and of its twin. All that is sensitive of the plan is in its `secrets`, for logs to hide; or it is said why that cannot be. */
export function writePlan(
  { plan, twin, made }: MadePlan,
  facts: StateFacts,
  { work, words, mostBytes, tooLong }: Writing,
): { readonly text: string; readonly shown: string } | CompositeFault {
  if (isTooMuch(made))
    return faultOf("render_failed", "Too much of it is sensitive", words.tooMuch);
  const plain = JSON.stringify(plan);
  const within = canSpend(work, () => secretsWithin(plain, facts, work));
  if (within === undefined) return faultOf("render_failed", "It is too large", words.tooLarge);
  const secrets = [...new Set([...within, ...made])];
  const hasNone = hiddenValues(facts).length === 0;
  const text = hasNone ? plain : JSON.stringify({ ...plan, secrets: [...secrets, salt()] });
  const shown = JSON.stringify(twin);
  return isLonger([text, shown], mostBytes) ? tooLong() : { text, shown };
}

type Writing = {
  readonly work: RenderWork;
  readonly words: PlanWords;
  /** Of both together. */
  readonly mostBytes: number;
  readonly tooLong: () => CompositeFault;
};

/**
 * The digest of a plan is shown, and its other text may be: without what nobody knows, a short value could be guessed by it. So it is in each
 * plan of an install that has anything to hide: to leave it out would tell that nothing of it stands there.
 */
const salt = (): string => randomBytes(16).toString("hex");

/** What logs can hide of one plan: so many texts, and so many letters of them together. */
export const mostSecrets = 1_000;
const mostSecretLetters = 2 ** 20;

/** What an agent looks for in all that a job prints. */
const isTooMuch = (secrets: readonly string[]): boolean =>
  secrets.length > mostSecrets ||
  secrets.reduce((sum, { length }) => sum + length, 0) > mostSecretLetters;

/** The hidden values that the plan has, as they stand in it: the agent redacts them in logs. Throws TooMuchWork. */
function secretsWithin(text: string, facts: StateFacts, work: RenderWork): string[] {
  const forms = hiddenValues(facts).flatMap((value) => {
    const plain = typeof value === "string" ? value : JSON.stringify(value);
    return [plain, Buffer.from(plain).toString("base64")];
  });
  const secrets = forms.filter((form) => form !== "");
  const finder = new PartFinder(secrets.map(partOf), {
    count: (letters) => work.spendLook(letters),
  });
  const within = new Set(finder.partsIn(text));
  return secrets.filter((secret) => within.has(partOf(secret)));
}

/** A text as it stands in JSON. */
const partOf = (text: string): string => JSON.stringify(text).slice(1, -1);
