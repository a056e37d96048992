import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";

// The vectors of RFC 3720, B.4, and the usual check word.
test.each<[string, Uint8Array, number]>([
  ["nothing", Buffer.alloc(0), 0],
  ["123456789", Buffer.from("123456789"), 0xe306_9283],
  ["32 zeros", Buffer.alloc(32), 0x8a91_36aa],
  ["32 ones", Buffer.alloc(32, 0xff), 0x62a8_ab43],
])("CRC-32C of %s is what is published", (_, bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum);
});
