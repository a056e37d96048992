import { closeSync, constants, openSync } from "node:fs";
import path from "node:path";

/** The kernel's limit for the path of a socket; one less on some systems. */
const mostBytes = 103;

/** A path by which this process can bind or connect to the socket, however long its real path is. */
export type SocketPath = {
  readonly path: string;
  /** Call it when nothing binds, connects or closes by this path any more. */
  readonly release: () => void;
};

/** Shortens a long path through an open descriptor of its folder, which must exist. */
export function openSocketPath(socket: string): SocketPath {
  if (Buffer.byteLength(socket) <= mostBytes) return { path: socket, release: () => {} };
  const folder = openSync(path.dirname(socket), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${folder}/${path.basename(socket)}`,
    release: () => closeSync(folder),
  };
}
