import { openLines } from "../../shared/api/call-route.ts";
import { listLogsRoute, type LogRecord } from "../../shared/api/log-streams.ts";
import type { RouteInput } from "../../shared/api/route.ts";
import { version } from "../../shared/version.ts";
import type { Connection } from "../connection/connection.ts";
import type { Screen } from "../output/screen.ts";

type Query = NonNullable<RouteInput<typeof listLogsRoute>["query"]>;
type Asked = { readonly params: { log_stream_id: string }; readonly query: Query };

/** A log's records to its present end, as they come. */
export async function* fetchRecords(
  { url, token, orgId }: Connection,
  { params, query }: Asked,
  screen: Pick<Screen, "during">,
): AsyncGenerator<LogRecord> {
  const endpoint = { url, token, orgId, userAgent: `svc-cli/${version}` };
  const headers = { accept: "application/x-ndjson, application/problem+json" };
  const open = new AbortController();
  const input = { params, query, headers };
  const opened = openLines(endpoint, listLogsRoute, input, open.signal);
  try {
    const lines = await screen.during(`Waiting for ${url}: read the log`, opened);
    for await (const line of lines) yield JSON.parse(line) as LogRecord; // by the contract
  } finally {
    open.abort();
  }
}
