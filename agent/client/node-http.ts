/**
 * Node's HTTP modules. An `import` would also load Node's fetch for names that both export, which costs four megabytes
 * and a tenth of the start time.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
