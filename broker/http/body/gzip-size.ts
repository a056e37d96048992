const gzipMagic = 0x1f8b;
/** Its head and its end. */
const leastGzipBytes = 18;

/** Whether bytes begin as gzip does, and are long enough for it. */
export const isGzip = (bytes: Buffer): boolean =>
  bytes.length >= leastGzipBytes && bytes.readUInt16BE(0) === gzipMagic;

/** The size that gzip says at its end that its last part has: nearly always of all. */
export const toldSize = (bytes: Buffer): number =>
  Math.max(1, bytes.readUInt32LE(bytes.length - 4));
