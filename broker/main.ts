import { OperatorError } from "../shared/operator-error.ts";
import { version } from "../shared/version.ts";
import { boundYoungSpace, holdYoungSpace } from "./bound-young-space.ts";
import { brokerHelp } from "./broker-help.ts";
import { readConfig } from "./config.ts";
import { openLog } from "./log.ts";
import type { RunningBroker } from "./start-broker.ts";
import { childWord, runChildProgram } from "./work-pool/run-child-program.ts";

const stopWithinMs = 25_000;

/** The production entry: one broker by the environment's settings, until SIGTERM or SIGINT; sets the exit code. */
export async function runBroker(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.logLevel);
  // Registered at the beginning: a broker that gets a signal while it starts stops as soon as it has started.
  const told = new Promise<unknown>((resolve) => {
    process.once("SIGTERM", resolve).once("SIGINT", resolve);
  });
  holdYoungSpace();
  const { startBroker } = await import("./start-broker.ts");
  const running = await startBroker(config, log);
  boundYoungSpace();
  await told;
  await stop(running);
}

/** A second signal, or 25 s, ends the process at once with exit code 1. */
async function stop(running: RunningBroker): Promise<void> {
  process.on("SIGTERM", giveUp).on("SIGINT", giveUp);
  setTimeout(giveUp, stopWithinMs).unref();
  try {
    await running.stop();
    process.exit(0);
  } catch (error) {
    running.broker.log.fatal({ err: error }, "the broker could not shut down cleanly");
    process.exit(1);
  }
}

function giveUp(): never {
  process.exit(1);
}

/** The program's own arguments are few: its settings are in the environment. */
async function main(args: readonly string[]): Promise<void> {
  const [word] = args;
  if (word === undefined) return await runBroker();
  if (word === childWord) return runChildProgram();
  if (args.length === 1 && /^(?:--version|version)$/.test(word))
    process.stdout.write(`${version}\n`);
  else if (args.length === 1 && /^(?:--help|-h|help)$/.test(word)) process.stdout.write(brokerHelp);
  else {
    process.stderr.write(
      `svc-broker does not know the argument "${args.join(" ")}".\n${brokerHelp}`,
    );
    process.exitCode = 2;
  }
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    const isPlain = error instanceof OperatorError;
    process.stderr.write(isPlain ? `${error.message}\n` : `${String((error as Error).stack)}\n`);
    process.exitCode = 1;
  });
}
