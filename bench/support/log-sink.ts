import http from "node:http";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** Takes logs as fast as anybody can: unpacks them, looks at nothing, and says how much there was when it is asked. */
const unpack = promisify(gunzip);
let bytes = 0;
const server = http.createServer((request, response) => {
  void buffer(request)
    .then(unpack)
    .then((body) => {
      bytes += body.length;
      response.writeHead(201, { "content-type": "application/x-protobuf" }).end();
    });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on("message", () => process.send?.({ bytes }));
process.once("disconnect", () => process.exit(0));
