import { RegistryFault } from "../registry/registry-fault.ts";
import type { BuildRequest } from "./build-request.ts";
import { storageFolder } from "./image-folder.ts";
import { keepLayers } from "./layer-cache.ts";
import { type BuilderHow, type BuilderMeans, writeSteps } from "./run-builder.ts";

type Keeping = {
  readonly steps: readonly string[];
  readonly how: BuilderHow;
  readonly say: (line: string) => void;
};

/** The image is still to be pushed: keeping layers takes no more than that, and than a part of what the job has left. */
const [mostMs, partOfJob] = [60_000, 1 / 4];

/** Keeps the layers of a build for the next one. What hinders that is no fault of this one. */
export async function keepSteps(
  request: BuildRequest,
  means: BuilderMeans,
  { steps, how, say }: Keeping,
): Promise<void> {
  const { cache, folder, leastFree, deadlineAtMs } = request;
  if (cache === undefined || means.namespaces === undefined || steps.length === 0) return;
  const boundMs = Math.min(mostMs, (deadlineAtMs - Date.now()) * partOfJob);
  const bound = AbortSignal.timeout(Math.max(0, Math.floor(boundMs)));
  const signal = AbortSignal.any([how.signal, bound]);
  try {
    const { code, complaint } = await writeSteps(request, means, {
      steps,
      how: { ...how, signal },
    });
    signal.throwIfAborted();
    const storage = storageFolder(folder);
    const kept = code === 0 ? await keepLayers(cache, storage, { leastFree, signal }) : complaint;
    if (typeof kept === "string") say(`its layers are not kept: ${kept}`);
  } catch (error) {
    say(`its layers are not kept: ${bound.aborted ? "it takes too long" : wordsOf(error)}`);
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof RegistryFault) return error.message;
  const { code, message } = error as { code?: unknown; message: string }; // whatever it is
  return typeof code === "string" ? code : message;
}
