import { beginWorkflow } from "../../../broker/installs/begin-workflow.ts";
import { openSeals } from "../../../broker/seals/seals.ts";
import type { PlannedChild } from "../../../broker/workflows/kinds/children-step.ts";
import type { WorkflowType } from "../../../broker/workflows/types/workflow-type.ts";
import {
  type WorkflowTypeName,
  workflowTypes,
} from "../../../broker/workflows/types/workflow-types.ts";
import type { ShownWorkflow, WholeWorkflow } from "../../../shared/api/workflow.ts";
import type { givenWorkflowsApi } from "./workflows-api.ts";

type Org = Awaited<ReturnType<Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"]>>;

const tree = "tree" as WorkflowTypeName; // no type of its own has children yet

const key = { id: "test-1", key: Buffer.alloc(32, 7) };

/** A row as a later type has it: a step that begins what its order lists. */
const row: WorkflowType = {
  lane: "changes",
  config: "applied",
  phase: { running: "updating", success: "active", failure: "degraded" },
  words: () => "Do all of these",
  groups: ({ workflow: { params } }) => [
    {
      name: "all",
      steps: [
        {
          kind: "children",
          name: "begin all",
          params: { ...params, skippable: true },
          target_type: "workflows",
          target_id: "",
        },
      ],
    },
  ],
};
Object.assign(workflowTypes, { tree: row });

/** A child of the type of these tests. */
export const subtree = (key: string, install_id: string, children: readonly PlannedChild[]) => ({
  key,
  type: tree,
  install_id,
  params: { children },
});

/** Begins a workflow whose one step begins others. */
export async function beginTree(
  { db, orgId }: Pick<Org, "db" | "orgId">,
  installId: string,
  params: { readonly children: readonly PlannedChild[]; readonly max_parallel?: number },
): Promise<string> {
  const actor = { id: "acc_1", orgId };
  const seals = await openSeals({ read: async () => await Promise.resolve([key]) });
  return await beginWorkflow({ db, seals }, actor, { installId, workflow: { type: tree, params } });
}

/** What a workflow has begun, the oldest first. */
export async function childrenOf({ api }: Pick<Org, "api">, id: string): Promise<ShownWorkflow[]> {
  const { body } = await api<ShownWorkflow[]>(`GET /v1/workflows?parent_id=${id}&limit=100`);
  return body.toReversed();
}

/** The step that begins others: the newest try of it. */
export function childStep({ steps }: WholeWorkflow) {
  const step = steps.findLast(({ retried }) => !retried);
  if (step === undefined) throw new Error("the workflow has no steps");
  return step;
}
