import { z } from "zod";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import { beginTicked, type Tick, type TickedWorkflow } from "../installs/begin-ticked.ts";
import { looksForDrift } from "../installs/looks-for-drift.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { MovingBroker } from "../workflows/move-workflow.ts";
import { type DriftTarget, findDriftTarget } from "./find-drift-target.ts";
import { isEnabled } from "./is-enabled.ts";

const templateSchema = z.object({ component_name: z.string().optional() });

/**
 * Begins the look for drift that the signal of a drift_schedule stands for, unless it has begun; the signal is its workflow's place from
 * then on. Answers the workflow. A signal is cancelled, and says why, where the install rests or is being changed, and where nothing is
 * deployed that it could look at, or the config wants it no more.
 */
export async function runTickedDrift(
  broker: MovingBroker,
  org: OrgId,
  signalId: string,
): Promise<string | undefined> {
  const decide = async ({ install, value }: Tick): Promise<TickedWorkflow> => {
    const { component_name: name = "" } = templateSchema.parse(value);
    const { id: installId, applied_config_id: configId } = install;
    const [config, target] = await Promise.all([
      readDocument(broker.db, org, configId),
      findDriftTarget(broker.db, org, { installId, name }),
    ]);
    const why = whyNot(config, target, name);
    return why === undefined ? lookOf(target?.component_id ?? null, { name, configId }) : { why };
  };
  return await beginTicked(broker, org, { signalId, decide });
}

function whyNot(
  config: AppConfigDocument | undefined,
  target: DriftTarget | undefined,
  name: string,
): string | undefined {
  const what = name === "" ? "the sandbox" : `the component ${name}`;
  const component = config?.components?.find((one) => one.name === name);
  const isWanted =
    name === ""
      ? config?.sandbox?.drift_schedule !== undefined
      : component !== undefined && looksForDrift(component);
  if (!isWanted) return `the install no longer looks for drift of ${what}`;
  if (component !== undefined && isEnabled(config, target?.toggles, name) === false)
    return `the install leaves out ${what}`;
  if (target?.is_deployed !== true) return `nothing of ${what} is deployed`;
  if (target.changing_id === null) return undefined;
  return `the install is being changed by the workflow ${target.changing_id}`;
}

/** The config is told for who stands behind it. */
const lookOf = (
  componentId: string | null,
  { name, configId }: { readonly name: string; readonly configId: string | null },
): TickedWorkflow => {
  const of = componentId === null ? {} : { component_id: componentId, component_name: name };
  return {
    type: componentId === null ? "drift_run_reprovision_sandbox" : "drift_run",
    planOnly: true,
    params: { ...of, app_config_id: configId, trigger: "cron" },
    metadata: of,
  };
};
