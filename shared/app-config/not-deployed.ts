import type { Section } from "./config-files.ts";

/** A part of configs on which this version does not act. */
export type NotDeployed = {
  readonly sections: readonly Section[];
  /** Only these of a section: the tables of a list in it of which a member has this value. */
  readonly only?: { readonly list: string; readonly member: string; readonly value: string };
  /** As people call it, with its files. */
  readonly part: string;
  /** What is not done with it. */
  readonly today: string;
  readonly comesWith: string;
};

/**
 * What configs may have, and this version checks, keeps and shows without acting on it: the notices of `svc app validate`
 * and of a sync, and the table of the docs. A part that begins to act goes out.
 */
export const notDeployed: readonly NotDeployed[] = [
  {
    sections: ["stack"],
    part: "the stack (`stack.toml`)",
    today: "not made: an install is without it",
    comesWith: "stacks",
  },
  {
    sections: ["inputs"],
    only: { list: "input", member: "source", value: "customer" },
    part: 'inputs of customers (`source = "customer"`)',
    today: "not asked of the customer: the vendor gives them, by `svc install inputs`",
    comesWith: "stacks",
  },
  {
    sections: ["permissions", "break_glass", "operation_roles"],
    part: "roles (`permissions.toml`, `break_glass.toml`, `operation_roles.toml`)",
    today: "not made: jobs run as their runner",
    comesWith: "roles of installs",
  },
  {
    sections: ["secrets"],
    part: "secrets of installs (`secrets.toml`)",
    today:
      "copied from where `svc install secret set` says that they are; nobody is asked for them, and `default` is without effect",
    comesWith: "stacks",
  },
  {
    sections: ["runbooks"],
    part: "runbooks (`runbooks/`)",
    today: "never run",
    comesWith: "runbook runs",
  },
  {
    sections: ["installer", "installs_config"],
    part: "pages for customers (`installer.toml`, `installs.toml`)",
    today: "kept and shown",
    comesWith: "stacks",
  },
  {
    sections: ["branches", "installs", "trigger_rules"],
    part: "branches, installs as files, trigger rules (`branches/`, `installs/`, `trigger_rules.toml`)",
    today: "without effect",
    comesWith: "branches",
  },
];
