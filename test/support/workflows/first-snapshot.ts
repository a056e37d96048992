import type { WorkflowSnapshot } from "../../../broker/workflows/machine/workflow-rows.ts";

/** A workflow that was just created, without steps, by the clock of a model. */
export function firstSnapshot(startMs: number): WorkflowSnapshot {
  const at = new Date(startMs).toISOString();
  return {
    now: at,
    workflow: {
      id: "wfl_1",
      org_id: "org_1",
      type: "provision",
      owner_type: "installs",
      owner_id: "ins_1",
      status: "pending",
      status_description: "",
      status_at: at,
      role: "",
      plan_only: false,
      approval_option: "prompt",
      metadata: {},
      params: {},
      app_config_id: null,
      signal_id: "sig_1",
      queue_id: "que_1",
      is_cancelling: false,
      error: null,
      faults: 0,
      version: 1,
      created_at: at,
      started_at: null,
      finished_at: null,
      created_by_id: "acc_1",
    },
    runs: [
      {
        id: "wfr_1",
        type: "initial",
        status: "pending",
        start_from_idx: 0,
        trigger_step_id: null,
        created_at: at,
        started_at: null,
        finished_at: null,
      },
    ],
    groups: [],
    steps: [],
    approvals: [],
    jobs: [],
    action_runs: [],
    signal_status: "queued",
    has_waiting: false,
    has_live_runner: true,
  };
}
