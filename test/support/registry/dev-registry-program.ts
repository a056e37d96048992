import { startDevRegistry } from "../../../cli/dev-registry/start-dev-registry.ts";

// The registry of `svc dev` as a process of its own, which can be killed: FOLDER PORT BROKER-URL.
const [folder = "", port = "0", brokerUrl = ""] = process.argv.slice(2);
const registry = await startDevRegistry({ folder, port: Number(port), limits: { freeBytes: 0 } });
registry.trust(brokerUrl);
process.stdout.write(`${registry.host}\n`);
