/** Bytes that this user may still write to the file system of the path. */
export async function freeDisk(path: string): Promise<number> {
  throw new Error(`not yet: ${path}`);
}
