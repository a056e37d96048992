import { z } from "@hono/zod-openapi";

/** An id in a path: its prefix and 26 characters; anything else is nobody's id and answers 404. */
export function idParam(name: string, prefix: Prefix): z.ZodString {
  const example = `${prefix}_01k9zq5v3t8w2x4y6z8a0b2c4d`;
  const of = `the id of ${owners[prefix]}`;
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), `Must be ${of}, such as ${example}.`)
    .openapi({ param: { name, in: "path" }, description: `T${of.slice(1)}.`, example });
}

type Prefix = keyof typeof owners;

/** Whose ids begin so. */
const owners = {
  acc: "an account",
  act: "an action",
  app: "an app",
  apv: "an approval",
  awc: "an action's config",
  awr: "a run of an action",
  cfg: "an app config",
  cmp: "a component",
  emt: "an emitter",
  exe: "an execution",
  hch: "a chart",
  hrl: "a Helm release",
  inc: "a config of an install",
  ins: "an install",
  inv: "an invitation",
  job: "a job",
  lgs: "a log stream",
  prc: "a process",
  que: "a queue",
  rbk: "a runbook",
  rgr: "a runner group",
  rol: "a role or a rollout",
  run: "a runner",
  sec: "a secret",
  shd: "a shutdown",
  sig: "a signal",
  stp: "a step of a workflow",
  tfs: "a rescued state",
  tfw: "a workspace",
  tok: "a token",
  whd: "a delivery",
  wfl: "a workflow",
  whk: "a webhook",
  wsg: "a group of steps",
} as const;
