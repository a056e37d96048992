/**
 * How many times more CPU work of `many` costs than that of an eighth of it, of this thread alone: about eight where
 * each costs the same, 64 where each looks at all others. The least of three each: what runs beside it takes its part.
 */
export function growthOfCpu(many: number, work: (many: number) => void): number {
  const costOf = (count: number): number => {
    const costs = [1, 2, 3].map(() => {
      const from = process.threadCpuUsage();
      work(count);
      const { user, system } = process.threadCpuUsage(from);
      return user + system;
    });
    return Math.min(...costs);
  };
  work(many / 8); // what compiles is not counted
  return costOf(many) / Math.max(5_000, costOf(many / 8));
}
