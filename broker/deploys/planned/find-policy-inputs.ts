import { z } from "zod";
import { Problem, problem } from "../../../shared/problem.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { isRefusedForOthers } from "../../work-pool/work-problems.ts";
import { type PolicyInputs, policyInputsOf } from "./policy-inputs-of.ts";
import { type JobTexts, type PlannedParts, readJobTexts } from "./read-job-texts.ts";
import {
  mostQuickBytes,
  mostQuickUnpackedBytes,
  mostUnpackedBytes,
  type PlanningJob,
} from "./read-planned.ts";
import { parseResultTexts } from "./result-texts.ts";

type Asked = PlanningJob & {
  /** How people know what is planned. */
  readonly identity: string;
};

/**
 * What policies judge of what a planning job has found: short results are read at once, others in a child process. Refuses as the pool of
 * these processes does (`isRefusedForOthers`: ask again); what is too much for one of them cannot be judged.
 */
export async function findPolicyInputs(
  parts: PlannedParts,
  org: OrgId,
  asked: Asked,
): Promise<PolicyInputs> {
  const texts = await readJobTexts(parts, org, asked.jobId);
  if (texts.sizeBytes <= mostQuickBytes) {
    const quick = inputsHere(asked, texts);
    if (quick !== undefined && !("obstacle" in quick)) return quick;
  }
  try {
    return await inputsThere(parts, org, { asked, texts });
  } catch (error) {
    if (!(error instanceof Problem) || isRefusedForOthers(error)) throw error;
    return { obstacle: error.message };
  }
}

/** What cannot be judged here a child may read. */
function inputsHere(
  { type, identity }: Asked,
  { result, plan, twin }: JobTexts,
): PolicyInputs | undefined {
  if (!(result instanceof Uint8Array) || !(plan instanceof Uint8Array)) return undefined;
  const given = {
    type,
    plan: textOf(plan),
    twin: twin && textOf(twin),
    result: parseResultTexts(textOf(result)),
    mostUnpackedBytes: mostQuickUnpackedBytes,
  };
  return policyInputsOf(given, identity);
}

const known = z.object({
  identities: z.array(z.string()),
  secrets: z.array(z.string()).optional(),
});

async function inputsThere(
  { work }: PlannedParts,
  orgId: OrgId,
  { asked: { type, identity }, texts }: { readonly asked: Asked; readonly texts: JobTexts },
): Promise<PolicyInputs> {
  const { result, plan, twin } = texts;
  const { told, bytes } = await work.run({
    orgId,
    kind: "plans.policy-inputs",
    asked: { type, identity, mostUnpackedBytes },
    bytes: twin === undefined ? [result, plan] : [result, plan, twin],
    outOfMemory: () => problem.unavailable("The plan is too large to be judged.", 5),
  });
  const { obstacle } = told;
  if (obstacle !== undefined) return { obstacle };
  const [documents = "[]", more = ""] = bytes.map(textOf);
  const { identities, secrets } = known.parse(JSON.parse(more));
  return { documents, identities, secrets };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
