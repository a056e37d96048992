import type { Rollout } from "./api/rollouts.ts";

/** How far a rollout is: "3 of 10 done, 1 skipped". */
export function rolloutProgress({ counts }: Pick<Rollout, "counts">): string {
  const { waiting, ordered, done, skipped, failed } = counts;
  const all = waiting + ordered + done + skipped + failed;
  const rest = Object.entries({ ordered, skipped, failed })
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `, ${count} ${word}`);
  return `${done} of ${all} done${rest.join("")}`;
}
