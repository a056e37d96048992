/** Whether a create made nothing new: its header says so, or the status of an older broker. */
export function wasThere({
  status,
  headers,
}: {
  readonly status: number;
  readonly headers: Headers;
}): boolean {
  return headers.get("idempotent-replayed") === "true" || status === 200;
}
