// A worker as a process that can be killed: it says which lease it has, and then never ends.
import { createClient } from "../../../client/create-client.ts";
import { Worker } from "../../../client/worker/worker.ts";

const [url = "", token = "", queue = ""] = process.argv.slice(2);

const worker = new Worker({
  client: createClient({ url, token }),
  queue,
  leaseMs: 5_000,
  stopOnSigterm: true,
  handle: async ({ id, lease_id, type }) => {
    process.stdout.write(`${JSON.stringify({ id, lease_id })}\n`);
    if (type === "hang") await new Promise(() => {});
  },
});
await worker.run();
process.stdout.write("stopped\n");
