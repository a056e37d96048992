import type { ShownWorkflow } from "../../../shared/api/workflow.ts";

/** The page of what a workflow is about. */
export const ownerPath = ({
  owner_type: type,
  owner_id: id,
}: Pick<ShownWorkflow, "owner_type" | "owner_id">): string => `/${type}/${id}`;
