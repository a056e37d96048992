import { createLateBuckets } from "./rate-limit.ts";

/**
 * A text that is made anew for who asks, unless many ask: so many times a second on average, over ten seconds. Then they
 * get the one before, so that asking for it costs others nothing.
 */
export function pacedText(make: () => string, perS: number): () => string {
  const made = createLateBuckets(perS);
  let text: string | undefined;
  return () => {
    if (text !== undefined && made.waitS("") > 0) return text;
    made.charge("");
    return (text = make());
  };
}
