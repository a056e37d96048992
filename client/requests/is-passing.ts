import type { SvcError } from "../svc-error.ts";

/** Whether the same request may do better soon: nobody answered, or whoever did says "not now". */
export function isPassing({ status, code }: SvcError): boolean {
  if (status === 0) return code === "unreachable" || code === "timeout";
  return [408, 429, 502, 503, 504].includes(status) || code === "idempotency_in_flight";
}
