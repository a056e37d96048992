import { viewToolOf } from "../../../shared/plan-view/plan-view-of.ts";
import { taintedTexts } from "../../../shared/plan-view/tainted-texts.ts";
import { diffInputs } from "../../../shared/policies/inputs/diff-inputs.ts";
import type { JudgedInputs } from "../../../shared/policies/inputs/judged-inputs.ts";
import { isPulumiPreview, pulumiInput } from "../../../shared/policies/inputs/pulumi-input.ts";
import {
  isTerraformPlan,
  terraformInput,
} from "../../../shared/policies/inputs/terraform-input.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { PlannedGiven } from "./planned-of.ts";
import { parsedJson } from "./result-texts.ts";
import { shownOf, tooMuch } from "./shown-of.ts";

/** What policies judge of a planning job, or why they cannot. */
export type PolicyInputs =
  | {
      /** A list, as JSON. */
      readonly documents: string;
      readonly identities: readonly string[];
      /** What of them, and of the job's plan, nobody may read; undefined: it is too much, and all is hidden. */
      readonly secrets: readonly string[] | undefined;
    }
  | { readonly obstacle: string };

/** More is not looked for in each message. */
const mostSecrets = 20_000;
const mostSecretLetters = 2 ** 20;
const mostInputs = 20_000;

/** What the policies of a plan read of it: of terraform and Pulumi all that the job brought, of charts and manifests each object that changes. */
export function policyInputsOf(given: PlannedGiven, identity: string): PolicyInputs {
  const shown = shownOf(given);
  if (shown === tooMuch)
    return { obstacle: `The plan has more than ${given.mostUnpackedBytes / 2 ** 20} MiB.` };
  const judged = inputsOf(given.type, shown, identity);
  if (judged === undefined) return { obstacle: unreadable[viewToolOf(given.type)] };
  if (judged.inputs.length > mostInputs)
    return { obstacle: `The plan changes more than ${mostInputs} objects.` };
  const tainted = taintedTexts(parsedJson(given.plan), parsedJson(given.twin ?? ""));
  const secrets = [...new Set([...tainted, ...judged.secrets])];
  const letters = secrets.reduce((sum, one) => sum + one.length, 0);
  return {
    documents: JSON.stringify(judged.inputs.map(({ document }) => document)),
    identities: judged.inputs.map((one) => one.identity),
    secrets: secrets.length > mostSecrets || letters > mostSecretLetters ? undefined : secrets,
  };
}

function inputsOf(type: RunnerJobType, shown: unknown, identity: string): JudgedInputs | undefined {
  const tool = viewToolOf(type);
  if (tool === "terraform")
    return isTerraformPlan(shown) ? terraformInput(shown, identity) : undefined;
  if (tool === "pulumi") return isPulumiPreview(shown) ? pulumiInput(shown, identity) : undefined;
  return tool === "job" ? undefined : diffInputs(shown);
}

const ofObjects =
  "The planning job told its changes, and not the objects whole: an agent of this version does.";
const unreadable = {
  terraform: "The planning job brought no plan as `terraform show -json` prints it.",
  pulumi: "The planning job brought no preview as `pulumi preview --json` prints it.",
  helm: ofObjects,
  manifests: ofObjects,
  job: "Policies judge no jobs.",
} as const;
