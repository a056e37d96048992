type Needs = ReadonlyMap<string, readonly string[]>;

/**
 * Circles of what needs itself, each from the first of its names and as short as it can be, so that every name in a circle
 * is in one of them. Only what is in a circle is searched.
 */
export function findCircles(all: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const needs: Needs = new Map([...all].map(([name, some]) => [name, [...some].sort()]));
  const partOf = partsOf(needs);
  const inside = new Map(
    [...needs].map(([name, some]) => [
      name,
      some.filter((one) => partOf.get(one) === partOf.get(name)),
    ]),
  );
  const circles: string[][] = [];
  const told = new Set<string>();
  for (const name of [...inside.keys()].sort()) {
    const circle = told.has(name) ? undefined : circleFrom(name, inside);
    if (circle === undefined) continue;
    for (const one of circle) told.add(one);
    circles.push(circle);
  }
  return circles;
}

/** Of names that all lead to one another, one name for all (Kosaraju): two walks, the second backwards. */
function partsOf(needs: Needs): Map<string, string> {
  const back = new Map([...needs.keys()].map((name): [string, string[]] => [name, []]));
  for (const [name, some] of needs) for (const one of some) back.get(one)?.push(name);
  const ended: string[] = [];
  const seen = new Set<string>();
  for (const name of needs.keys()) walk(needs, name, { seen, end: (one) => ended.push(one) });
  const parts = new Map<string, string>();
  const again = new Set<string>();
  for (const name of ended.toReversed())
    walk(back, name, { seen: again, end: (one) => parts.set(one, name) });
  return parts;
}

type Walk = { readonly seen: Set<string>; readonly end: (name: string) => void };

/** Depth first, without a stack of calls. */
function walk(needs: Needs, start: string, { seen, end }: Walk): void {
  if (seen.has(start)) return;
  seen.add(start);
  const way = [{ name: start, at: 0 }];
  for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
    const next = needs.get(here.name)?.[here.at++];
    if (next === undefined) {
      end(here.name);
      way.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      way.push({ name: next, at: 0 });
    }
  }
}

/** The shortest way from a name back to it. */
function circleFrom(start: string, needs: Needs): string[] | undefined {
  const before = new Map<string, string>();
  const open = [start];
  for (const at of open) {
    for (const next of needs.get(at) ?? []) {
      if (next === start) return wayTo(at, before, start);
      if (before.has(next)) continue;
      before.set(next, at);
      open.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, before: ReadonlyMap<string, string>, start: string): string[] {
  const way = [end];
  for (let at = end; at !== start;) {
    at = before.get(at) ?? start;
    way.push(at);
  }
  return way.toReversed();
}
