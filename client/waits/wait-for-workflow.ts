import type { Request } from "../requests/make-request.ts";
import { bePatient } from "./be-patient.ts";
import { lookUntil, parked, type WaitOptions } from "./look-until.ts";

type Workflow = { readonly finished: boolean; readonly status: { readonly status: string } };

/** What the wait for a workflow takes. */
export type WorkflowWaitOptions<Waited> = WaitOptions<Waited> & {
  /** Answers it also when it waits for a person: for an approval, or for what is to be done about a failed step. */
  readonly orPerson?: boolean | undefined;
};

const waitsForPerson = ["approval-awaiting", "failed-pending-retry"];

/** The workflow when it has finished, however it did; a broker may be away for a minute meanwhile. */
export async function waitForWorkflow(
  request: Request,
  id: string,
  { signal, onLook, orPerson = false }: WorkflowWaitOptions<unknown> = {},
): Promise<unknown> {
  const ask = async () => {
    const { body } = await request("get", "/v1/workflows/{workflow_id}/await", {
      params: { workflow_id: id },
      ...parked,
      signal,
    });
    return body as Workflow; // by the contract
  };
  const isWanted = ({ finished, status: { status } }: Workflow): boolean =>
    finished || (orPerson && waitsForPerson.includes(status));
  const look = async () => await bePatient(ask, { signal });
  return await lookUntil({ look, isWanted, onLook, signal });
}
