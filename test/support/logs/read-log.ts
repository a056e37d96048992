import type { Fleet } from "../broker/given-fleet.ts";

type Page = {
  readonly items: readonly { readonly body: string }[];
  readonly next_cursor: string | null;
};

/** All lines of a job's log, however many pages they fill. `call` makes the request and answers its body. */
export async function readLog(
  call: (what: string) => Promise<Page>,
  jobId: string,
): Promise<string[]> {
  const lines: string[] = [];
  let cursor = "";
  for (;;) {
    const from = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await call(`GET /v1/log-streams/lgs_${jobId.slice(4)}/logs?limit=1000${from}`);
    lines.push(...page.items.map(({ body }) => body));
    if (page.next_cursor === null || page.next_cursor === cursor) return lines;
    cursor = page.next_cursor;
  }
}

/** The lines of a job's log, as its fleet's operator reads them. */
export async function logOf(
  fleet: Pick<Fleet, "broker">,
  runner: { readonly operatorToken: string },
  jobId: string,
): Promise<string[]> {
  const token = runner.operatorToken;
  return await readLog(
    async (what) => (await fleet.broker.call<Page>(what, { token })).body,
    jobId,
  );
}
