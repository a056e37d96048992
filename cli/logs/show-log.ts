import { defineCommand } from "../command.ts";
import { fetchRecords } from "./fetch-records.ts";
import { logArg, logDetails, logFlags, logQuery, streamParams } from "./log-flags.ts";
import { printRecords } from "./print-records.ts";

export const showLog = defineCommand({
  name: "log show",
  summary: "Show the whole log of a job so far.",
  details: logDetails,
  args: { log: logArg },
  flags: logFlags,
  examples: [
    { does: "Show the errors of a step.", run: "svc log show job_… --step apply --severity error" },
    { does: "Save the plain output.", run: "svc log show job_… --raw > apply.log" },
  ],
  run: async ({ args, flags, connect, screen }) => {
    const asked = { params: streamParams(args.log), query: logQuery(flags) };
    const count = await printRecords(screen, flags, fetchRecords(await connect(), asked, screen));
    if (count === 0) screen.say("No log records found.");
  },
});
