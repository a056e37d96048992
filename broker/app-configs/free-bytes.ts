/**
 * Gives the memory of large bytes back at once: nobody may look at them any more. The collector finds them late, for to it
 * they are a few words. Bytes that share their memory with others stay.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
