const latestUs = BigInt(Date.UTC(10_000, 0, 1)) * 1000n;

/** Nanoseconds since 1970 as microseconds; undefined for 0, which is the protocol's "unknown", and past 9999. */
export function toMicroseconds(nanos: string | number | null | undefined): number | undefined {
  const us = BigInt(nanos ?? 0) / 1000n;
  return us <= 0n || us >= latestUs ? undefined : Number(us);
}
