import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { CredentialFault } from "./credential-fault.ts";

const mostBytes = 64 * 1024;

/**
 * The token in a file, read each time, because it is replaced before it expires. Throws CredentialFault for what is no
 * regular file, such as a pipe that nobody writes to, and for one of more than 64 KiB.
 */
export async function tokenInFile(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CredentialFault(`The token file ${file} cannot be read (${error.code}).`);
    },
  );
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new CredentialFault(`The token file ${file} is not a regular file.`);
    if (stat.size > mostBytes)
      throw new CredentialFault(`The token file ${file} is larger than 64 KiB.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
