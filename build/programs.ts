/** A program that `npm run build` makes into one file. */
export type Program = {
  readonly name: string;
  /** From the project's root. */
  readonly entry: string;
};

/** All of them; docs/agent.md and docs/operations.md say what each is for. */
export const programs: readonly Program[] = [
  { name: "svc", entry: "cli/main.ts" },
  { name: "svc-broker", entry: "broker/main.ts" },
  { name: "svc-agent", entry: "agent/main.ts" },
];
