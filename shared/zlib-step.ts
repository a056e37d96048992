const least = 16 * 1024;
const most = 1024 * 1024;

/**
 * The `chunkSize` for zlib that makes about so many bytes in one step. By itself it makes one for each 16 KB, and waits
 * for a thread each time.
 */
export const zlibStep = (expectedBytes: number): number =>
  Math.min(most, Math.max(least, Math.ceil(expectedBytes)));
