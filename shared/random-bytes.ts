const blockBytes = 4096;

let block = new Uint8Array(0);
let used = 0;

/** So many random bytes that nobody else gets, at most 4096: one system call serves many callers. */
export function takeRandomBytes(count: number): Uint8Array {
  if (count > blockBytes) throw new RangeError(`${count} random bytes are more than a block`);
  if (used + count > block.length) {
    block = crypto.getRandomValues(new Uint8Array(blockBytes));
    used = 0;
  }
  used += count;
  return block.subarray(used - count, used);
}
