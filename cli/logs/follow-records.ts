import { followLog } from "../../client/logs/follow-log.ts";
import { brokerError } from "../../shared/api/broker-errors.ts";
import { connectionTo } from "../../shared/api/endpoint.ts";
import type { LogRecord, tailLogsRoute } from "../../shared/api/log-streams.ts";
import type { RouteInput } from "../../shared/api/route.ts";
import { version } from "../../shared/version.ts";
import type { Connection } from "../connection/connection.ts";

type Query = NonNullable<RouteInput<typeof tailLogsRoute>["query"]>;
type Asked = {
  readonly params: { log_stream_id: string };
  readonly query: Query;
  /** Ends the following where it stands. */
  readonly signal?: AbortSignal;
};

/**
 * A log's records as they come, to the end of the log. A broken connection is made again, and what was missed
 * meanwhile is told; without a broker for a minute it throws.
 */
export async function* followRecords(
  { url, token, orgId }: Connection,
  { params, query, signal }: Asked,
): AsyncGenerator<LogRecord> {
  const connection = connectionTo({ url, token, orgId, userAgent: `svc-cli/${version}` });
  const followed = followLog(connection, params.log_stream_id, { query, signal });
  try {
    yield* followed as AsyncGenerator<LogRecord>; // by the contract
  } catch (error) {
    if (signal?.aborted !== true) throw brokerError(url, error);
  }
}
