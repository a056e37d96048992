import { holdsMetadata } from "../../shared/network/find-block.ts";
import { parseAddress } from "../../shared/network/parse-address.ts";
import type { Broker } from "../broker.ts";
import { readTemplate } from "../emitters/sealed-template.ts";
import { listCallingEmitters, listWebhookOrigins } from "./receiver-queries.ts";

type Parts = Pick<Broker, "db" | "egress" | "log" | "seals">;
type Caller = "emitters" | "webhooks";
/** How many of each call an origin. */
type Origins = Map<string, Record<Caller, number>>;

/** What is looked at in one look: as much as takes no broker's start long. */
const mostWebhooks = 10_000;
const mostEmitters = 1000;
/** Each template may be a quarter of a megabyte. */
const emittersOfPage = 20;
const mostNames = 100;
const namesAtOnce = 8;
const mostTold = 20;

/**
 * Tells the operator how many webhooks and emitters this broker's rules block: of the newest ones, by what their URLs say, and by what the
 * first hundred names resolve to. It says nothing where nothing is blocked by rule.
 */
export async function tellBlocked(parts: Parts, stopped: AbortSignal): Promise<void> {
  const { log, egress } = parts;
  const { mode } = egress.rules;
  if (mode === "off") return;
  tellClosed(parts);
  const origins: Origins = new Map();
  for (const { origin, webhooks } of await listWebhookOrigins(parts.db, mostWebhooks)) {
    count(origins, origin, { webhooks, emitters: 0 });
  }
  await countEmitters(parts, origins, stopped);
  const { blocked, unresolved } = await judge(parts, [...origins.keys()], stopped);
  if (stopped.aborted) return;
  const sum = (caller: Caller): number =>
    blocked.reduce((total, origin) => total + (origins.get(origin)?.[caller] ?? 0), 0);
  const told = {
    egress: mode,
    blocked_webhooks: sum("webhooks"),
    blocked_emitters: sum("emitters"),
    unresolved_names: unresolved,
  };
  if (blocked.length === 0) return log.info(told, "SVC_EGRESS blocks no webhook and no emitter");
  log.warn(
    { ...told, receivers: blocked.slice(0, mostTold) },
    "SVC_EGRESS blocks webhooks and emitters; SVC_EGRESS_ALLOW opens single receivers",
  );
}

/** An operator who opens a network may think that all of it is open. Entries are counted, as in the setting's faults. */
function tellClosed({ log, egress: { rules } }: Parts): void {
  const entries = rules.opened.flatMap((one, at) =>
    rules.mode === "strict" && "range" in one && holdsMetadata(one.range) ? [at + 1] : [],
  );
  if (entries.length === 0) return;
  log.warn(
    { entries },
    "SVC_EGRESS_ALLOW has networks that hold link-local addresses or cloud metadata: these stay closed",
  );
}

function count(origins: Origins, origin: string, added: Record<Caller, number>): void {
  const { webhooks, emitters } = origins.get(origin) ?? { webhooks: 0, emitters: 0 };
  origins.set(origin, {
    webhooks: webhooks + added.webhooks,
    emitters: emitters + added.emitters,
  });
}

async function countEmitters(
  { db, log, seals }: Parts,
  origins: Origins,
  stopped: AbortSignal,
): Promise<void> {
  let before = "~";
  for (let seen = 0; seen < mostEmitters && !stopped.aborted; seen += emittersOfPage) {
    const page = await listCallingEmitters(db, { before, limit: emittersOfPage });
    for (const emitter of page) {
      try {
        const url = new URL(String(readTemplate(seals, emitter)["url"]));
        count(origins, url.origin, { webhooks: 0, emitters: 1 });
      } catch (error) {
        log.warn({ err: error, emitter_id: emitter.id }, "an emitter's template cannot be read");
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < emittersOfPage) return;
    before = last.id;
  }
}

/** Which origins are blocked, and how many names were not resolved, for they are too many. */
async function judge(
  { egress }: Parts,
  origins: readonly string[],
  stopped: AbortSignal,
): Promise<{ readonly blocked: readonly string[]; readonly unresolved: number }> {
  const blocked = origins.filter((origin) => !egress.checkUrl(origin).isOk);
  const named = origins.filter((origin) => !blocked.includes(origin) && hasName(origin));
  const asked = egress.rules.mode === "strict" ? named.slice(0, mostNames) : [];
  for (let at = 0; at < asked.length && !stopped.aborted; at += namesAtOnce) {
    const few = asked.slice(at, at + namesAtOnce);
    const checked = await Promise.all(few.map((origin) => egress.checkReceiver(origin)));
    blocked.push(...few.filter((_, n) => checked[n]?.isOk === false));
  }
  return { blocked, unresolved: named.length - asked.length };
}

function hasName(origin: string): boolean {
  const { hostname } = new URL(origin);
  return parseAddress(hostname.replaceAll(/^\[|\]$/g, "")) === undefined;
}
