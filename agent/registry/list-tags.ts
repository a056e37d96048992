import { z } from "zod";
import { readBounded } from "./read-bounded.ts";
import { nextPage, type RegistryClient } from "./registry-client.ts";
import { RegistryFault } from "./registry-fault.ts";

const page = z.looseObject({ tags: z.array(z.string()).nullish() });
const mostPageBytes = 4 * 2 ** 20;
const mostPages = 100;
const mostTags = 50_000;

/** All tags of a repository, page by page, up to a bound. Throws RegistryFault. */
export async function listTags(client: RegistryClient): Promise<string[]> {
  const tags = new Set<string>();
  let at: string | undefined = "tags/list?n=1000";
  for (let pages = 0; at !== undefined; pages += 1) {
    if (pages === mostPages || tags.size > mostTags)
      throw new RegistryFault("too_large", "the registry lists tags without end: name one");
    const answer = await client.get(at);
    const before = tags.size;
    const bytes = await readBounded(answer.body, mostPageBytes).catch(() => undefined);
    if (bytes === undefined)
      throw new RegistryFault("unsafe", "the registry's list of tags is broken off, or too large");
    for (const tag of tagsIn(bytes.toString("utf8"))) tags.add(tag);
    // A page without anything new is the last one, whatever it says.
    at = tags.size === before ? undefined : nextPage(answer);
  }
  return [...tags];
}

function tagsIn(text: string): readonly string[] {
  try {
    return page.parse(JSON.parse(text)).tags ?? [];
  } catch {
    throw new RegistryFault("unsafe", "the registry's list of tags is invalid");
  }
}
