import type { Route, RouteInput } from "../../shared/api/route.ts";

type QueryValue = string | number | boolean | undefined;

/** A route's path with its parameters and query filled in; a list repeats the name. */
export function pathOf(route: Route, input: RouteInput<Route>): string {
  const { params, query } = input as {
    readonly params?: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, QueryValue | QueryValue[]>>;
  };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])),
  );
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of [value].flat()) if (each !== undefined) sent.append(name, `${each}`);
  }
  return sent.size === 0 ? path : `${path}?${sent.toString()}`;
}
