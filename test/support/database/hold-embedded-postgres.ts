import { startEmbeddedPostgres } from "../../../broker/database/embedded.ts";

// A process of its own that starts a server, tells about it in one line, and stays until it is killed.
const [dataDir = ""] = process.argv.slice(2);
const { url, pid } = await startEmbeddedPostgres({ dataDir, fsync: false });
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
setInterval(() => {}, 60_000);
