/**
 * Node's HTTP, which an agent speaks from its start to its end. An `import` of it would load Node's other HTTP client,
 * too, for the names that both export: four megabytes, and a tenth of the time to start.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
