import { createHash } from "node:crypto";
import type { TerraformLock } from "../../../shared/api/terraform-lock.ts";
import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import type { GivenOperator } from "../broker/given-operator.ts";
import { givenToken } from "../rows/given-token.ts";

/** A job that runs, whose plan names a workspace. */
export type GivenStateJob = {
  readonly runnerId: string;
  readonly runnerToken: string;
  readonly processId: string;
  readonly jobId: string;
  readonly executionId: string;
  /** The execution's own token. */
  readonly token: string;
};

/** A workspace without a state, made through the API. */
export async function givenWorkspace(at: GivenOperator): Promise<string> {
  const body = { owner_id: "ins_1", owner_type: "installs" };
  const made = await at.call<Workspace>("POST /v1/terraform-workspaces", { body });
  if (made.status !== 201) throw new Error(`no workspace: ${JSON.stringify(made.body)}`);
  return made.body.id;
}

type Claimed = { jobs: { job: { id: string }; execution: { id: string }; token: string }[] };

/** A terraform job that names this workspace, claimed by a process of ours that has told that it holds it. */
export async function givenStateJob(
  at: GivenOperator,
  workspaceId: string,
  given: { readonly plan?: object; readonly runnerId?: string; readonly job?: object } = {},
): Promise<GivenStateJob> {
  const runnerId = given.runnerId ?? (await at.createRunner()).id;
  const runnerToken = await givenToken(at.db, { orgId: at.orgId, runnerId });
  const ours = { token: runnerToken };
  const process = await at.call<{ id: string }>(`POST /v1/runners/${runnerId}/processes`, {
    ...ours,
    body: { type: "install", version: "1", groups: { deploy: 1 } },
  });
  const plan = given.plan ?? { terraform: { terraform_backend: { WorkspaceID: workspaceId } } };
  const body = { type: "terraform-deploy", operation: "exec", plan, ...given.job };
  const made = await at.call(`POST /v1/runners/${runnerId}/jobs`, { body });
  if (made.status !== 201) throw new Error(`no job: ${JSON.stringify(made.body)}`);
  const claimed = await at.call<Claimed>(`POST /v1/runners/${runnerId}/jobs/claim`, {
    ...ours,
    body: { process_id: process.body.id, poll_id: crypto.randomUUID(), groups: { deploy: 1 } },
  });
  const [one] = claimed.body.jobs;
  if (one === undefined) throw new Error(`nothing claimed: ${JSON.stringify(claimed.body)}`);
  const beat = { process_id: process.body.id, executions: [one.execution.id] };
  const heard = await at.call(`POST /v1/runners/${runnerId}/heart-beats`, { ...ours, body: beat });
  if (heard.status !== 201) throw new Error(`no beat: ${JSON.stringify(heard.body)}`);
  return {
    runnerId,
    runnerToken,
    processId: process.body.id,
    jobId: one.job.id,
    executionId: one.execution.id,
    token: one.token,
  };
}

/** The lock that a terraform would take. */
export function terraformLock(id: string = crypto.randomUUID()): TerraformLock {
  return {
    ID: id,
    Operation: "OperationTypeApply",
    Info: "",
    Who: "ci@runner",
    Version: "1.11.4",
    Created: "2026-11-21T08:30:00.123456789Z",
    Path: "",
  };
}

/** A state's text as terraform writes it. */
export function stateText(state: {
  readonly serial: number;
  readonly lineage?: string;
  readonly secret?: string;
  readonly padding?: string;
}): string {
  const { serial, lineage = "8d7b0f3a-lineage", secret = "planted", padding = "" } = state;
  return `{
  "version": 4,
  "terraform_version": "1.11.4",
  "serial": ${serial},
  "lineage": "${lineage}",
  "outputs": {
    "url": { "value": "https://example.com/${serial}", "type": "string" },
    "secret": { "value": "${secret}", "type": "string", "sensitive": true }
  },
  "resources": [
    {
      "mode": "managed", "type": "terraform_data", "name": "one",
      "provider": "provider[\\"terraform.io/builtin/terraform\\"]",
      "instances": [
        {
          "schema_version": 0,
          "attributes": { "id": "r-${serial}", "input": { "value": "${secret}" }, "padding": "${padding}" },
          "sensitive_attributes": [[{ "type": "get_attr", "value": "input" }]]
        }
      ]
    }
  ]
}
`;
}

/** The header that terraform sends with a state. */
export function contentMd5(body: string | Uint8Array): { "content-md5": string } {
  return { "content-md5": createHash("md5").update(body).digest("base64") };
}

/** Where terraform keeps the workspace's state. */
export function backendPath(workspaceId: string, lockId?: string): string {
  const query = new URLSearchParams({ workspace_id: workspaceId });
  if (lockId !== undefined) query.set("ID", lockId);
  return `/v1/terraform-backend?${query.toString()}`;
}
