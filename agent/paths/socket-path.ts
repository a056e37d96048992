import { closeSync, constants, openSync } from "node:fs";
import path from "node:path";

/** What the kernel takes for the path of a socket; a character less on some systems. */
const mostBytes = 103;

/** A path by which this process can bind or reach the socket, however long its own is. */
export type SocketPath = {
  readonly path: string;
  /** To be called when nobody binds, connects or closes by it any more. */
  readonly release: () => void;
};

/** Makes a short path of a long one by way of its folder, which must be there. */
export function openSocketPath(socket: string): SocketPath {
  if (Buffer.byteLength(socket) <= mostBytes) return { path: socket, release: () => {} };
  const folder = openSync(path.dirname(socket), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${folder}/${path.basename(socket)}`,
    release: () => closeSync(folder),
  };
}
