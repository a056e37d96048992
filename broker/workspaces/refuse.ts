import { mostRescued } from "../../shared/api/rescued-states.ts";
import { Problem, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listLocks, type Outcome } from "./queries.ts";

/** The refusal for an outcome; undefined when the outcome is a success. */
export function refusalOf({ outcome, holder, revision }: Outcome): Problem | undefined {
  if (outcome === "in-use") return lockInUse(holder);
  if (outcome === "held") return workspaceLocked(holder);
  if (outcome === "blocked") return workspaceBlocked(holder);
  if (outcome === "not-found") return problem.notFound("workspace");
  if (outcome === "no-rescued-state") return problem.notFound("rescued state");
  if (outcome === "job-holds") return heldForJob(holder);
  if (outcome === "revision-differs") return revisionDiffers(revision ?? 0);
  return conflicts[outcome]?.({ revision: revision ?? 0, serial: serialOf(holder) });
}

type Current = { readonly revision: number; readonly serial: number };
const conflicts: Readonly<Record<string, (current: Current) => Problem>> = {
  ended: () =>
    problem.conflict(
      "execution_ended",
      "This execution has ended. It may save its state under the lock it holds, but it cannot take another lock.",
      { ID: "execution_ended: it takes no lock any more" },
    ),
  "not-locked": () =>
    problem.conflict(
      "workspace_not_locked",
      "The workspace is not locked. Lock it and write with the lock's id as ID.",
    ),
  full: () =>
    problem.conflict(
      "too_many_rescued_states",
      `This job already has ${mostRescued.states} rescued states: ${nextOfRescued}`,
    ),
  "full-job": () => tooManyRescuedBytes("this job", `${mostRescued.jobMib} MiB`),
  "full-workspace": () => tooManyRescuedBytes("this workspace", `${mostRescued.workspaceMib} MiB`),
  "full-org": () => tooManyRescuedBytes("this org", "as much as SVC_RESCUED_STATES_ORG_MIB says"),
  "terraform-state": ({ revision }) =>
    problem.conflict(
      "state_is_terraform",
      `The current state (revision ${revision}) is a Terraform state. Pulumi cannot use it.`,
      { revision },
    ),
  "serial-older": ({ serial, revision }) =>
    problem.conflict(
      "state_serial_older",
      `The current state has serial ${serial} (revision ${revision}); this one is older.`,
      { serial, revision },
    ),
  "serial-taken": ({ serial, revision }) =>
    problem.conflict(
      "state_serial_taken",
      `The current state (revision ${revision}) already has serial ${serial}, with other contents.`,
      { serial, revision },
    ),
  "other-lineage": ({ revision }) =>
    problem.conflict(
      "state_lineage_differs",
      `The current state (revision ${revision}) has another lineage: this state belongs to another configuration.`,
      { revision },
    ),
};

const nextOfRescued =
  "an operator has to push or discard some (svc workspace rescued). Keep this one, and send it again then.";

function tooManyRescuedBytes(whose: string, most: string): Problem {
  const detail = `The rescued states of ${whose} may take ${most}; with this one they would take more: ${nextOfRescued}`;
  return problem.conflict("too_many_rescued_bytes", detail);
}

/** Two jobs that write one state would each lose what the other has made. */
function heldForJob(holder: Outcome["holder"]): Problem {
  const job = textOf(holder?.["job"]);
  return problem.conflict(
    "workspace_held_by_job",
    `The workspace is held for job ${job}, which changes it, until that job has ended and stopped. Write the state by that job, or afterwards.`,
    { runner_job_id: job },
  );
}

function revisionDiffers(revision: number): Problem {
  return problem.preconditionFailed(
    `The current state has the revision ${revision}, which is not the one in If-Match. Read it, and plan anew.`,
  );
}

/** Its job may be writing the state this very moment. */
function lockInUse(holder: Outcome["holder"]): Problem {
  const job = textOf(holder?.["job"]);
  return problem.conflict(
    "lock_in_use",
    `Job ${job} is running or still stopping, and holds this lock, so it was not removed. Cancel the job first, and wait until it has stopped. ` +
      'If you know that nothing writes any more, repeat the request with "force": true.',
    { runner_job_id: job },
  );
}

/** A runner may not break a lock: 423 with the holder. */
export async function refuseForceUnlock(db: Db, org: OrgId, workspaceId: string): Promise<void> {
  const [lock] = await listLocks(db, org, [workspaceId]);
  if (lock !== undefined) throw workspaceLocked({ ...lock.info, ID: lock.lock_id });
}

/** 423 with Terraform's lock info, so that Terraform can show who holds the lock. */
function workspaceLocked(holder: Outcome["holder"]): Problem {
  const who = textOf(holder?.["Who"]);
  const operation = textOf(holder?.["Operation"]);
  return new Problem({
    status: 423,
    code: "workspace_locked",
    detail: `The workspace is locked: ${textOf(holder?.["ID"])}${operation && `, ${operation}`}${who && ` by ${who}`}.`,
    members: holder ?? {},
  });
}

/** Terraform prints only the ID of a refused lock, so the ID also says the reason and what to do. */
function workspaceBlocked(block: Outcome["holder"]): Problem {
  const reason = textOf(block?.["Info"]).replace(/\.$/, "");
  const advice = `Look into it, then: svc workspace unblock ${textOf(block?.["Path"])} --reason …`;
  return new Problem({
    status: 423,
    code: "workspace_blocked",
    detail: `The workspace is blocked: ${reason}. ${advice}`,
    members: { ...block, ID: `blocked: ${reason}. ${advice}` },
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const serialOf = (holder: Outcome["holder"]): number => Number(holder?.["serial"] ?? 0);
