/** What a child process is asked. */
export type ChildAsked = { readonly kind: string; readonly asked: unknown };

/** What it answers: what it was told to find out, the refusal that is the answer, or how it failed; and what it has used so far. */
export type ChildAnswer = {
  readonly told?: unknown;
  readonly refused?: {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly members: Readonly<Record<string, unknown>>;
  };
  readonly failed?: { readonly name: string; readonly message: string; readonly stack: string };
  readonly cpuMs: number;
  readonly rssBytes: number;
};
