import type { Screen } from "./screen.ts";

type Keys = Readonly<Record<string, readonly string[]>>;

/** Shows the keys of labels with their values, a pair a line. */
export function printLabelKeys(
  screen: Screen,
  { text, body }: { readonly text: string; readonly body: Keys },
): void {
  const { format } = screen;
  if (format === "json" || format === "ndjson") screen.out(text);
  else if (format === "name") for (const key of Object.keys(body)) screen.out(key);
  else
    for (const [key, values] of Object.entries(body))
      for (const value of values) screen.out(`${key}=${value}`);
  if (Object.keys(body).length === 0) screen.say("There are no labels.");
}
