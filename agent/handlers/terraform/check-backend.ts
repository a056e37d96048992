import { readdir } from "node:fs/promises";
import path from "node:path";
import { readJobText } from "../../job-users/job-files.ts";
import type { JobFailure } from "../../jobs/job-failure.ts";
import { type BackendAddresses, backendAddresses, overrideName } from "./backend-override.ts";
import { type Backend, planBackend } from "./plan-backend.ts";
import { readBytes } from "./read-json-file.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";

const overriding = /^(?:[^.].*_)?override\.(?:tf|tofu)(?:\.json)?$/;

/** Throws JobFailure when the configuration has an override file that takes precedence over the agent's own. */
export async function refuseLaterOverrides(cwd: string): Promise<void> {
  const later = (await readdir(cwd)).find((name) => overriding.test(name) && name > overrideName);
  if (later === undefined) return;
  const detail = `The override file ${later} would be merged after the agent's own, ${overrideName}, which must decide where the state is: give it a name that sorts before.`;
  throw unfit(detail, later);
}

/** Throws JobFailure unless the directory was initialized with the workspace's backend at the broker. */
export async function checkInitialized(context: TerraformContext): Promise<void> {
  const { job, files } = context;
  await job.once("terraform/backend-in-place", async () => {
    const file = path.join(files.data, "terraform.tfstate");
    const found = readInitialized(await readJobText(file, job.directories.owner, mostBytes));
    refuseOther(found, addressesOf(context), "terraform init has");
    return true;
  });
}

const mostBytes = 2 ** 20;
const mostPlanBytes = 256 * 2 ** 20;

/** Throws JobFailure unless the plan file names the same backend: an apply uses no other one. */
export async function checkPlanBackend(context: TerraformContext): Promise<void> {
  const { job, files } = context;
  await job.once("terraform/backend-in-plan", async () => {
    const what = { what: "The plan file", mostBytes: mostPlanBytes };
    const bytes = await readBytes(files.plan, job.directories.owner, what);
    refuseOther(planBackend(bytes), addressesOf(context), "The plan file names");
    return true;
  });
}

function addressesOf({ job, run }: TerraformContext): BackendAddresses {
  return backendAddresses(job.agent.config.brokerUrl ?? "", run.workspaceId, job.info.id);
}

function readInitialized(text: string): Backend | undefined {
  try {
    const { backend } = JSON.parse(text) as { backend?: Partial<Backend> };
    const { type, config } = backend ?? {};
    return typeof type === "string" && config != null ? { type, config } : undefined;
  } catch {
    return undefined;
  }
}

function refuseOther(found: Backend | undefined, ours: BackendAddresses, who: string): void {
  const wrong =
    found?.type === "http"
      ? Object.entries(ours).find(([name, url]) => anyJob(found.config[name]) !== anyJob(url))
      : ["backend"];
  if (wrong === undefined) return;
  const what = found === undefined ? "none that can be read" : `${found.type} (${wrong[0]})`;
  const detail = `${who} another backend than the workspace's at the broker: ${what}. The backend of ${overrideName} must be the one that is used. Nothing was changed.`;
  throw unfit(detail, overrideName);
}

/** A plan's address names the job that made it; only the rest must be equal. */
const anyJob = (url: unknown): string => String(url).replace(/job_id=[^&]*$/, "job_id=");

function unfit(detail: string, file: string): JobFailure {
  return terraformFailure(detail, { class: "config_invalid", detail, metadata: { file } });
}
