import { defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { fetchRecords } from "./fetch-records.ts";
import { logArg, logDetails, logFlags, logQuery, streamParams } from "./log-flags.ts";
import { printRecords } from "./print-records.ts";

export const searchLog = defineCommand({
  name: "log search",
  summary: "Search a log for a text, ignoring case.",
  details: `The exit code is 1 when there are none. ${logDetails}`,
  args: { log: logArg, text: { summary: "The text to look for, in either case." } },
  flags: logFlags,
  examples: [
    {
      does: "Find every denial of the last hour.",
      run: 'svc log search job_… "access denied" --since 1h',
    },
  ],
  run: async ({ args, flags, connect, screen }) => {
    const query = { ...logQuery(flags), q: args.text };
    const asked = { params: streamParams(args.log), query };
    const count = await printRecords(screen, flags, fetchRecords(await connect(), asked, screen));
    if (count > 0) return exitCodes.ok.code;
    screen.say("No matching records.");
    return exitCodes.failed.code;
  },
});
