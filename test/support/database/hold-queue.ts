import { onTestFinished } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";

/** Locks a runner's queue of deploys, as a statement does that takes long; answers what lets go, at the test's end at the latest. */
export async function holdQueue(db: Db, runnerId: string): Promise<() => Promise<void>> {
  const letGo = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = db.begin(async (tx) => {
    await tx`select from runner_queues where runner_id = ${runnerId} and job_group = 'deploy' for update`;
    isHeld.resolve();
    await letGo.promise;
  });
  const release = async (): Promise<void> => {
    letGo.resolve();
    await holding;
  };
  onTestFinished(release);
  await isHeld.promise;
  return release;
}
