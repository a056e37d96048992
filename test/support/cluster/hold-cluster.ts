// A process of its own that is the tests' cluster: it prints one line when it is ready, and ends with its standard input.
import { startCluster } from "./start-cluster.ts";

const [folder = ""] = process.argv.slice(2);
const cluster = startCluster(folder);
// Whoever started us may have been killed: the pipe tells, whatever the signal was.
process.stdin.on("close", () => void cluster.end()).resume();
try {
  await cluster.ready;
  process.stdout.write("ready\n");
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await cluster.end();
}
