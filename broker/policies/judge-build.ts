import type { Broker } from "../broker.ts";
import { findJobOutputs } from "../builds/job-outputs.ts";
import { type Evaluation, findJudgedBuild } from "./evaluation-queries.ts";
import { imageInput } from "./image-input.ts";
import { judgeOwner } from "./judge-owner.ts";
import { policiesOfBuild } from "./policies-of-build.ts";
import type { ReportDraft } from "./report-draft.ts";

/** The report of what a build's policies say of it; undefined where the build is gone. Throws the signal's reason. */
export async function judgeBuild(
  broker: Pick<Broker, "db" | "seals" | "opa">,
  { org_id: org, owner_id, runner_job_id, tries }: Evaluation,
  signal: AbortSignal,
): Promise<ReportDraft | undefined> {
  const build = await findJudgedBuild(broker.db, org, owner_id);
  if (build === undefined) return undefined;
  const { id, app_id, app_config_id: configId, component_id, component_name } = build;
  const about = {
    app_id,
    component_id,
    component_name,
    install_id: null,
    created_by_id: build.created_by_id,
  };
  const read = async () => {
    const input = imageInput(build.artifact, await findJobOutputs(broker, org, runner_job_id));
    return { inputs: [input], named: [{ id, name: input.identity, type: "image" }] };
  };
  const choose = (config: Parameters<typeof policiesOfBuild>[0]) => policiesOfBuild(config, build);
  return await judgeOwner(broker, { org, tries, about, configId, choose, read }, signal);
}
