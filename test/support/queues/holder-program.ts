// Whoever is woken by the task of a held signal, as a process that can be killed: it hangs in its task, or it ends the signal.
import { Logger, run } from "graphile-worker";

const [databaseUrl = "", task = "", does = ""] = process.argv.slice(2);

await run({
  connectionString: databaseUrl,
  noHandleSignals: true,
  logger: new Logger(() => () => {}),
  parsedCronItems: [],
  taskList: {
    [task]: async (payload, helpers) => {
      const { org_id, signal_id } = payload as { org_id: string; signal_id: string };
      process.stdout.write(`${signal_id}\n`);
      if (does === "hang") await new Promise(() => {});
      const report = [{ n: 1, org_id, signal_id, event: "finish" }];
      await helpers.query(
        "select report_signals(array(select s from json_populate_recordset(null::signal_report, $1::text::json) s))",
        [JSON.stringify(report)],
      );
    },
  },
});
