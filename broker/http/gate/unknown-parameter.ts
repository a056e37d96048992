import type { ProblemError } from "../../../shared/problem.ts";

/** What is told of a parameter of a query that a route does not know: which it knows. */
export function unknownParameter(name: string, known: readonly string[]): ProblemError {
  const [first = "none"] = known;
  const allowed = known.length > 1 ? `${known.join(", ")} are` : `${first} is`;
  return {
    pointer: `?${name}`,
    code: "unknown_parameter",
    detail: `Unknown query parameter: ${allowed} allowed here.`,
  };
}
