import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bootId } from "../host-boot.ts";
import { quickMs, type Step } from "./step.ts";

const run = promisify(execFile);
/** The broker is to hear of it; if it does not answer, the host goes down all the same. */
const deliverWithinMs = 30_000;
const commandWithinMs = 60_000;
const downWithinMs = 10 * 60_000;

/**
 * Runs the command that powers the host off, once the broker has the results. The operation stays in the journal until
 * the host is up again: a kill of this process does not leave the host up without an agent, and the next boot does not
 * power it off again.
 */
export const powerOff: Step = async ({ config, journal, link, log, memory }, operation) => {
  const over = { operation: null, stopped: "" };
  const { nudges, sinceMs } = memory();
  const waitedMs = performance.now() - sinceMs;
  if (operation.boot !== bootId()) {
    log.info("the host was powered off, and is up again");
    await journal.write(over);
    return 0;
  }
  if (nudges > 0) {
    if (waitedMs < downWithinMs) return quickMs;
    log.error("the host did not power off; the agent is started again");
    await journal.write(over);
    return 0;
  }
  if (link()?.isDelivered() !== true && waitedMs < deliverWithinMs) return quickMs;
  const [program = "", ...args] = config.mngPowerOffCommand;
  log.warn({ program }, "powering the host off");
  try {
    memory().nudges = 1;
    await run(program, args, { env: { ...config.env }, timeout: commandWithinMs });
  } catch (error) {
    log.error({ err: error }, "the host could not be powered off; the agent is started again");
    await journal.write(over);
  }
  return quickMs;
};
