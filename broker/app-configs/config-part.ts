import { configLimits } from "../../shared/app-config/config-fault.ts";
import { toFileMembers } from "../../shared/app-config/record-names.ts";
import { problem } from "../../shared/problem.ts";
import { toPointer } from "../../shared/scan-json.ts";

/** The members of a part as a body has them. */
export type Members = Readonly<Record<string, unknown>>;

/** How much a config may be. */
export const mostOfConfig = { bytes: configLimits.unpackedBytes, files: configLimits.files };

/** A part as its file has it; 422 for what came by two names. */
export function membersOf(type: string, given: Members): Members {
  const { contents, twice } = toFileMembers(type, given);
  if (twice.length === 0) return contents;
  throw problem.invalid(
    twice.map((at) => ({
      pointer: toPointer(at),
      code: "one_of",
      detail: "This was given twice. Give it only once.",
    })),
  );
}

/** A part as it is stored: a member that is null is absent, however deep it lies. */
export const partText = (contents: Members): string =>
  JSON.stringify(contents, (_, value: unknown) => value ?? undefined);

/** Refuses a part that a config does not take. */
export function requireAdded(outcome: string | undefined): void {
  if (outcome !== "large") return requireOpen(outcome);
  const { bytes, files } = mostOfConfig;
  const detail = `With this part the config would have more than ${bytes / 2 ** 20} MiB or ${files} files.`;
  throw problem.invalid([{ pointer: "#", code: "too_large", detail }]);
}

/** Refuses what is asked of a config that is not there, or takes nothing more. */
export function requireOpen(outcome: string | undefined): void {
  if (outcome === "not-found") throw problem.notFound("app config");
  if (outcome === "sealed") throw sealed();
}

/** The refusal of a change of a config that is whole. */
export const sealed = (): Error =>
  problem.conflict(
    "config_sealed",
    "This config is already complete, or it failed. It cannot be changed.",
  );
