import { hiddenValue } from "../../shared/hidden-value.ts";
import { textHider } from "../../shared/plan-view/text-hider.ts";
import type { Broker } from "../broker.ts";
import { jobTypeOf } from "../deploys/job-type-of.ts";
import { findPolicyInputs } from "../deploys/planned/find-policy-inputs.ts";
import { policiesOfDeploy } from "../deploys/policies-of-deploy.ts";
import { type Evaluation, findJudgedDeploy, type JudgedDeploy } from "./evaluation-queries.ts";
import { type JudgedThings, judgeOwner } from "./judge-owner.ts";
import type { ReportDraft } from "./report-draft.ts";

/** A report names so many, as it keeps so many messages. */
const mostNamed = 500;

/**
 * The report of what policies say of the plan of a deploy, or of a run of the sandbox; undefined where that is gone. Throws the signal's
 * reason, and as the processes do that read large plans.
 */
export async function judgeDeploy(
  broker: Pick<Broker, "db" | "seals" | "opa" | "work" | "largeReads">,
  { org_id: org, owner_id, runner_job_id: jobId, tries }: Evaluation,
  signal: AbortSignal,
): Promise<ReportDraft | undefined> {
  const deploy = await findJudgedDeploy(broker.db, org, owner_id);
  if (deploy === undefined) return undefined;
  const { app_id, component_id, component_name, install_id, created_by_id } = deploy;
  const about = { app_id, component_id, component_name, install_id, created_by_id };
  const configId = deploy.judging_config_id;
  const read = () => readPlan(broker, { org_id: org, runner_job_id: jobId }, deploy);
  const choose = (config: Parameters<typeof policiesOfDeploy>[0]) =>
    policiesOfDeploy(config, deploy);
  return await judgeOwner(broker, { org, tries, about, configId, choose, read }, signal);
}

async function readPlan(
  broker: Parameters<typeof findPolicyInputs>[0],
  { org_id: org, runner_job_id: jobId }: Pick<Evaluation, "org_id" | "runner_job_id">,
  deploy: JudgedDeploy,
): Promise<JudgedThings> {
  const isSandbox = deploy.component_id === null;
  const identity = isSandbox ? "the sandbox" : deploy.component_name;
  const type = jobTypeOf(deploy);
  const found = await findPolicyInputs(broker, org, { jobId, type, identity });
  if ("obstacle" in found) return found;
  const { documents, identities, secrets } = found;
  // its work has a bound, however many secrets and messages there are
  const hide = secrets === undefined ? () => hiddenValue : textHider(secrets);
  const isOfObjects = ["helm_chart", "kubernetes_manifest"].includes(deploy.component_type);
  const named = identities.slice(0, mostNamed).map((name) => ({
    id: deploy.id,
    name: hide(name),
    type: isOfObjects ? "object" : "plan",
  }));
  return { inputs: { documents, identities }, named, hide };
}
