import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { EndedJob, RunnerWithAgent } from "../agent/given-jobs.ts";
import type { Fleet } from "../broker/given-fleet.ts";

/** A workspace for a stack, and jobs that work on it. */
export type GivenStack = {
  readonly workspaceId: string;
  /** A job of the stack; `source` says where its program is. */
  readonly draft: (operation: string, source: object, more?: More) => Partial<NewJob>;
  /** The current state; undefined when there is none. */
  readonly state: () => Promise<StackState | undefined>;
  readonly rescued: () => Promise<object[]>;
};

type More = {
  readonly type?: RunnerJobType;
  readonly stack?: object;
  readonly body?: object;
  readonly plan?: object;
};

export type StackState = {
  readonly revision: string;
  readonly text: string;
  readonly urns: readonly string[];
};

/** A new workspace, and what its jobs share. */
export async function givenStack(
  fleet: Fleet,
  runner: Pick<RunnerWithAgent, "operate" | "operatorToken">,
): Promise<GivenStack> {
  const token = runner.operatorToken;
  const owner = { owner_id: "ins_1", owner_type: "installs" };
  const made = await runner.operate("POST /v1/terraform-workspaces", owner);
  const workspaceId = String(made["id"]);
  const at = `/v1/runners/pulumi-state/${workspaceId}`;
  return {
    workspaceId,
    draft: (
      operation,
      source,
      { type = "pulumi-deploy", stack = {}, body = {}, plan = {} } = {},
    ) => {
      const named = { workspace_id: workspaceId, stack_name: "one", runtime: "nodejs", ...stack };
      const isSandbox = type === "sandbox-pulumi";
      const whole = isSandbox
        ? { pulumi_backend: named, ...body, ...source }
        : { pulumi: { ...named, ...body }, ...source };
      return {
        type,
        operation: operation as NonNullable<NewJob["operation"]>,
        plan: JSON.stringify({ ...whole, ...plan }),
      };
    },
    state: async () => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(fleet.broker.url + at, { headers });
      if (answer.status === 204) return undefined;
      const text = await answer.text();
      const state = JSON.parse(text) as {
        checkpoint: { latest?: { resources?: { urn: string }[] } };
      };
      const urns = (state.checkpoint.latest?.resources ?? []).map(({ urn }) => urn);
      return { text, urns, revision: answer.headers.get("etag") ?? "" };
    },
    rescued: async () => {
      const path = `GET /v1/terraform-workspaces/${workspaceId}/rescued-states`;
      return (await fleet.broker.call<object[]>(path, { token })).body;
    },
  };
}

/** What an apply job is told of the job that planned. */
export function approvedPreview(planned: EndedJob): Record<string, unknown> {
  const { plan_sha256, source_revision } = summaryOf(planned);
  return {
    apply_plan_contents: planned.result?.contents_gzip ?? "",
    approved: { plan_sha256, source_revision },
  };
}

/** The JSON that a job's result has for programs. */
export const summaryOf = (ended: EndedJob): Record<string, unknown> =>
  JSON.parse(ended.result?.contents ?? "{}") as Record<string, unknown>; // the agent wrote it
