import type { Request } from "../requests/make-request.ts";
import { bePatient } from "./be-patient.ts";
import { lookUntil, parked, type WaitOptions } from "./look-until.ts";

type Job = { readonly finished_at: string | null };

/** The job when it has ended, however it did; a broker may be away for a minute meanwhile. */
export async function waitForJob(
  request: Request,
  id: string,
  { signal, onLook }: WaitOptions<unknown> = {},
): Promise<unknown> {
  const ask = async () => {
    const { body } = await request("get", "/v1/runner-jobs/{job_id}/wait", {
      params: { job_id: id },
      ...parked,
      signal,
    });
    return body as Job; // by the contract
  };
  const look = async () => await bePatient(ask, { signal });
  return await lookUntil({ look, isWanted: (job) => job.finished_at !== null, onLook, signal });
}
