/** Override files are merged by their names' order, and the last one that names a backend is heard. */
export const overrideName = "zzzz_svc_override.tf.json";

export type BackendAddresses = {
  readonly address: string;
  readonly lock_address: string;
  readonly unlock_address: string;
};

/** Where a workspace's state is, for one job: nowhere else may terraform bring it, or the job's token. */
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
 * The configuration's backend in place of whatever it names itself: the workspace's state at the broker. No credentials
 * are in it, for it ends in saved plans; terraform has them from its environment.
 */
export function backendOverride(brokerUrl: string, workspaceId: string, jobId: string): string {
  const http = {
    ...backendAddresses(brokerUrl, workspaceId, jobId),
    lock_method: "POST",
    unlock_method: "POST",
    // A broker that is away for some minutes costs nobody a state: terraform's own patience is three seconds.
    retry_max: 14,
    retry_wait_min: 1,
    retry_wait_max: 30,
  };
  return `${JSON.stringify({ terraform: { backend: { http } } }, undefined, 2)}\n`;
}
