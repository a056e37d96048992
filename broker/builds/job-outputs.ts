import type { Db } from "../database/connect.ts";
import { listOutputs } from "../executions/queries.ts";
import { parseOutputs } from "../executions/to-execution.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { NotKnown } from "../workflows/not-known.ts";

type Outputs = Readonly<Record<string, unknown>>;

/** The outputs of jobs that one move of a workflow looks at: each is opened once. Throws `NotKnown` where it is not yet. */
export class JobOutputs {
  readonly #parts: { readonly db: Db; readonly seals: Seals };
  readonly #orgId: OrgId;
  readonly #found = new Map<string, Outputs>();

  constructor(parts: { readonly db: Db; readonly seals: Seals }, orgId: OrgId) {
    this.#parts = parts;
    this.#orgId = orgId;
  }

  /** None where it has none, or such as no broker looks into. */
  readonly read = (jobId: string): Outputs => {
    const found = this.#found.get(jobId);
    if (found === undefined) throw new NotKnown(`outputs of ${jobId}`, () => this.#find(jobId));
    return found;
  };

  async #find(jobId: string): Promise<void> {
    this.#found.set(jobId, await findJobOutputs(this.#parts, this.#orgId, jobId));
  }
}

/** What a job told; nothing where it has no outputs, or such as no broker looks into. */
export async function findJobOutputs(
  parts: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  jobId: string,
): Promise<Outputs> {
  const id = await findFinalExecution(parts.db, org, jobId);
  const [row] = await listOutputs(parts, org, id === undefined ? [] : [id]);
  const text = row?.outputs;
  return typeof text === "string" ? parseOutputs(text) : {};
}

/** The execution by which a job ended. */
export async function findFinalExecution(
  db: Db,
  org: OrgId,
  jobId: string,
): Promise<string | undefined> {
  const [end] = await db<{ id: string }[]>`
    select d.final_execution_id as id from runner_job_ends d
     where d.org_id = ${org} and d.runner_job_id = ${jobId} and d.final_execution_id is not null`;
  return end?.id;
}
