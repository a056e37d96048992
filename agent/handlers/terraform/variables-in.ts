import { readdirSync } from "node:fs";

/** The files of a configuration whose variables terraform reads by itself. */
export const variablesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^terraform\.tfvars(?:\.json)?$|\.auto\.tfvars(?:\.json)?$/.test(name))
    .toSorted();
