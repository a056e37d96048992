import { listLogsRoute, type LogRecord } from "../../shared/api/log-streams.ts";
import type { RouteAnswer } from "../../shared/api/route.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Caller, defineCommand } from "../command.ts";
import { readWhole } from "../flags/read-flags.ts";
import { fetchRecords } from "./fetch-records.ts";
import { followRecords } from "./follow-records.ts";
import { logArg, logDetails, logFlags, logQuery, streamParams } from "./log-flags.ts";
import { printRecords } from "./print-records.ts";

const usualTail = 100;
const mostOnAPage = 1000;

export const tailLog = defineCommand({
  name: "log tail",
  summary: "Show the end of a job's log, and with -f follow it until it ends.",
  details: `With -f a broken connection is restored without missing records; it ends with 0 when the log ends. ${logDetails}`,
  args: { log: logArg },
  flags: {
    follow: { short: "f", summary: "Follow the log until it ends." },
    tail: {
      value: "N",
      summary:
        "Start with the last N records (default 100, with --since all since then; with -f at most 1,000).",
    },
    ...logFlags,
  },
  examples: [
    { does: "Follow a job while it runs.", run: "svc log tail -f job_…" },
    {
      does: "Follow it from ten minutes ago on.",
      run: "svc log tail -f job_… --since 10m",
    },
    { does: "Show its last ten errors.", run: "svc log tail job_… --tail 10 --severity error" },
  ],
  run: async ({ args, flags, connect, call, screen }) => {
    const params = streamParams(args.log);
    const query = logQuery(flags);
    const told = readWhole("--tail", flags.tail);
    const last = told ?? (flags.since === undefined ? usualTail : undefined);
    if (flags.follow && last !== undefined && last > mostOnAPage) {
      throw new UsageError("With -f, --tail must be at most 1,000. See all: svc log show");
    }
    const read = async () => {
      const connection = await connect();
      if (flags.follow) {
        const from = last === undefined ? {} : { last };
        return followRecords(connection, { params, query: { ...query, ...from } });
      }
      if (last === undefined) return fetchRecords(connection, { params, query }, screen);
      return lastRecords(call, { params, query, last });
    };
    await printRecords(screen, flags, await read());
  },
});

type Asked = {
  readonly params: { log_stream_id: string };
  readonly query: ReturnType<typeof logQuery>;
  readonly last: number;
};
type Page = RouteAnswer<typeof listLogsRoute>["body"];

async function* lastRecords(call: Caller, asked: Asked): AsyncGenerator<LogRecord> {
  const { params, query, last } = asked;
  let records: LogRecord[] = [];
  let cursor: string | null = "";
  while (cursor !== null && records.length < last) {
    const limit = Math.min(last - records.length, mostOnAPage);
    const backward = { ...query, direction: "backward", limit, cursor } as const;
    const page: Page = (await call(listLogsRoute, { params, query: backward })).body;
    records = [...page.items, ...records];
    cursor = page.previous_cursor;
  }
  yield* records;
}
