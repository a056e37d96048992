/** Override files are merged in the order of their names, and the last one that names a backend counts. */
export const overrideName = "zzzz_svc_override.tf.json";

export type BackendAddresses = {
  readonly address: string;
  readonly lock_address: string;
  readonly unlock_address: string;
};

/** The addresses of a workspace's state for one job: terraform may send the state and the job's token nowhere else. */
export function backendAddresses(
  brokerUrl: string,
  workspaceId: string,
  jobId: string,
): BackendAddresses {
  const base = brokerUrl.replace(/\/+$/, "");
  const workspace = `${base}/v1/terraform-workspaces/${workspaceId}`;
  return {
    address: `${base}/v1/terraform-backend?workspace_id=${workspaceId}&job_id=${jobId}`,
    lock_address: `${workspace}/lock?job_id=${jobId}`,
    unlock_address: `${workspace}/unlock?job_id=${jobId}`,
  };
}

/**
 * The backend that replaces the configuration's own: the workspace's state at the broker. It contains no credentials,
 * as it becomes part of saved plans; terraform gets them from its environment.
 */
export function backendOverride(brokerUrl: string, workspaceId: string, jobId: string): string {
  const http = {
    ...backendAddresses(brokerUrl, workspaceId, jobId),
    lock_method: "POST",
    unlock_method: "POST",
    // A broker that is unreachable for some minutes must not cost a state: terraform itself retries for three seconds only.
    retry_max: 14,
    retry_wait_min: 1,
    retry_wait_max: 30,
  };
  return `${JSON.stringify({ terraform: { backend: { http } } }, undefined, 2)}\n`;
}
