import type { WorkspaceState } from "../../../shared/api/terraform-workspaces.ts";
import type { Answer } from "../broker/broker.ts";
import type { GivenOperator } from "../broker/given-operator.ts";
import { backendPath, givenWorkspace, terraformLock } from "./given-workspace.ts";

/** A workspace that the operator holds. */
export type HeldWorkspace = {
  readonly id: string;
  readonly lockId: string;
  /** Writes a state under the lock. */
  readonly write: (
    body: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer<Record<string, unknown>>>;
  /** The current state, byte for byte. */
  readonly read: () => Promise<{ status: number; text: string; md5: string | null }>;
  /** The newest first. */
  readonly revisions: () => Promise<WorkspaceState[]>;
  readonly unlock: () => Promise<void>;
};

/** Makes a workspace and takes its lock. */
export async function holdWorkspace(at: GivenOperator): Promise<HeldWorkspace> {
  const id = await givenWorkspace(at);
  const lock = terraformLock();
  const path = `/v1/terraform-workspaces/${id}`;
  await at.call(`POST ${path}/lock`, { body: lock });
  return {
    id,
    lockId: lock.ID,
    write: (body, headers = {}) => at.call(`POST ${backendPath(id, lock.ID)}`, { body, headers }),
    read: async () => {
      const authorization = `Bearer ${at.token}`;
      const response = await fetch(at.broker.url + backendPath(id), { headers: { authorization } });
      const md5 = response.headers.get("content-md5");
      return { status: response.status, text: await response.text(), md5 };
    },
    revisions: async () =>
      (await at.call<{ items: WorkspaceState[] }>(`GET ${path}/states`)).body.items,
    unlock: async () => {
      await at.call(`POST ${path}/unlock?ID=${lock.ID}`);
    },
  };
}
