import { opaAdvice } from "../../shared/policies/find-opa.ts";
import { type Judgement, judgePolicies } from "../../shared/policies/judge-policies.ts";
import { packageOf } from "../../shared/policies/package-of.ts";
import { policyId } from "../../shared/policies/policy-id.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Broker } from "../broker.ts";
import { findJobOutputs } from "../builds/job-outputs.ts";
import { type Evaluation, findJudgedBuild } from "./evaluation-queries.ts";
import { imageInput } from "./image-input.ts";
import { policiesOfBuild } from "./policies-of-build.ts";
import { draftReport, type ReportDraft } from "./report-draft.ts";

/** A broker that was killed while it evaluated, so often: it may be the policies. */
const mostTries = 3;
/** After it none of its policies begins. */
const patienceMs = 60_000;

/** The report of what a build's policies say of it; undefined where the build is gone. Throws the signal's reason. */
export async function judgeBuild(
  broker: Pick<Broker, "db" | "seals" | "opa">,
  { org_id: org, owner_id, runner_job_id, tries }: Evaluation,
  signal: AbortSignal,
): Promise<ReportDraft | undefined> {
  const { db } = broker;
  const build = await findJudgedBuild(db, org, owner_id);
  if (build === undefined) return undefined;
  const about = {
    app_id: build.app_id,
    component_id: build.component_id,
    component_name: build.component_name,
    install_id: null,
    created_by_id: build.created_by_id,
    inputs: [],
  };
  if (tries > mostTries) return draftReport(about, unjudged(neverEnded));
  const [config, outputs, opa] = await Promise.all([
    storedDocument(db, org, build.app_config_id),
    findJobOutputs(broker, org, runner_job_id),
    broker.opa.find(),
  ]);
  if (opa === undefined) return draftReport(about, unjudged(noOpa));
  const policies = policiesOfBuild(config ?? {}, build).map(({ name, contents }) => ({
    id: policyId(build.app_id, name),
    name,
    contents,
    root: packageOf(contents),
  }));
  const input = imageInput(build.artifact, outputs);
  const inputs = [{ id: build.id, name: input.identity, type: "image" }];
  const bounds = { signal, endsAtFault: true, patienceMs };
  return draftReport({ ...about, inputs }, await judgePolicies(opa, policies, [input], bounds));
}

const noOpa = `There is no OPA at the broker. ${opaAdvice}`;
const neverEnded = `Brokers began to evaluate the policies ${mostTries} times, and none came to an end.`;

const unjudged = (detail: string): Judgement => ({
  status: "error",
  detail,
  policies: [],
  violations: [],
  deny_count: 0,
  warn_count: 0,
  pass_count: 0,
});
