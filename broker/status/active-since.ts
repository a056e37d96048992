import type { CompositeStatus } from "../../shared/api/composite-status.ts";
import { toCompositeStatus } from "./composite-status.ts";

/** The status of what is ready as soon as it is there. */
export function activeSince(at: Date): {
  readonly status: "active";
  readonly status_description: string;
  readonly status_v2: CompositeStatus;
} {
  const status_v2 = toCompositeStatus({ status: "active", description: "", at });
  return { status: "active", status_description: "", status_v2 };
}
