import type { LogRecord } from "../../shared/api/log-streams.ts";
import type { Screen } from "../output/screen.ts";
import type { LogFlags } from "./log-flags.ts";
import { recordText } from "./record-text.ts";

/** Shows records as they come, in the asked format, no faster than they are read; answers how many. */
export async function printRecords(
  screen: Screen,
  flags: Pick<LogFlags, "no-timestamps" | "raw">,
  records: AsyncIterable<LogRecord>,
): Promise<number> {
  const style = {
    isRaw: flags.raw,
    hasTimestamps: !flags["no-timestamps"],
    hasColor: screen.hasColor,
  };
  let count = 0;
  for await (const record of records) {
    count += 1;
    if (screen.format === "name") screen.out(record.cursor);
    else if (screen.format === "table") screen.asIs.out(recordText(record, style));
    else screen.out(JSON.stringify(record));
    await screen.drained();
  }
  return count;
}
