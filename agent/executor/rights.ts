import type { OwnCluster } from "./own-cluster.ts";

/** One permission that an executor needs in its namespace. */
export type Right = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** The only object that it is for. */
  readonly name?: string;
};

/** All rights of an executor with this name in its namespace; the chart's Role grants exactly these. */
export function executorRights(executorName: string): Right[] {
  return [
    ...of("batch", "jobs", ["create", "get", "list", "patch", "delete"]),
    ...of("", "pods", ["list", "delete"]),
    ...of("", "events", ["list"]),
    ...of("", "secrets", ["create"]),
    ...of("", "secrets", ["get", "patch"], `${executorName}-state`),
    ...of("coordination.k8s.io", "leases", ["create"]),
    ...of("coordination.k8s.io", "leases", ["get", "patch"], executorName),
  ];
}

function of(group: string, resource: string, verbs: readonly string[], name?: string): Right[] {
  return verbs.map((verb) => ({ verb, group, resource, ...(name !== undefined && { name }) }));
}

/** A right as text: "create jobs.batch", "get secrets/svc-agent-state". */
export function rightWords({ verb, group, resource, name }: Right): string {
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : `/${name}`}`;
}

/** The rights that the cluster denies. Throws ApiRefusal, or JobFailure when the API does not answer. */
export async function listDenied(
  { api, namespace }: OwnCluster,
  rights: readonly Right[],
): Promise<Right[]> {
  const answers = await Promise.all(
    rights.map(async (right) => ((await isAllowed(right)) ? [] : [right])),
  );
  return answers.flat();

  async function isAllowed(right: Right): Promise<boolean> {
    const { status } = await api.call<{ status?: { allowed?: boolean } }>({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { namespace, ...right } },
      },
    });
    return status?.allowed === true;
  }
}
