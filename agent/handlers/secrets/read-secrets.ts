import { randomInt } from "node:crypto";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import type { OpenStore } from "./make-store-opener.ts";
import { readFormat } from "./read-format.ts";
import { faultOf, secretFailure, type UnreadSecret } from "./secret-failure.ts";
import { SecretFault } from "./secret-fault.ts";
import { placeWords } from "./secret-place.ts";
import type { SecretStore, StoredValue } from "./secret-store.ts";
import type { SecretsRun } from "./secrets-run.ts";
import type { WantedSecret } from "./wanted-secret.ts";

/** A secret of a plan as its store has it. */
export type FoundSecret = {
  readonly wanted: WantedSecret;
  /** The bytes to write; undefined where there are none. */
  readonly value: Buffer | undefined;
  readonly version: string;
  /** This job made the value. */
  readonly isNew: boolean;
};

/** The most bytes of all values together: each is looked for in all that is said, in all encodings. */
const mostBytes = 256 * 1024;

/**
 * Reads all secrets of a plan, makes those that are to be made, and checks their formats. The values are hidden from logs
 * before anything is said. Throws JobFailure that names all that cannot be read.
 */
export async function readSecrets(
  job: Job,
  { secrets, isDry }: SecretsRun,
  openStore: OpenStore,
): Promise<FoundSecret[]> {
  const faults = new Map<WantedSecret, UnreadSecret>();
  const room = { bytes: mostBytes };
  const found = await eachOf(secrets, async (wanted) => {
    try {
      return await readSecret(job, { wanted, openStore, isDry, room });
    } catch (error) {
      if (job.signal.aborted) throw stopped();
      const { place, name } = wanted;
      const what = place === undefined ? name : `${name} (${placeWords(place)})`;
      faults.set(wanted, { what, fault: faultOf(error) });
      return { wanted, value: undefined, version: "", isNew: false };
    }
  });
  const unread = secrets.flatMap((wanted) => faults.get(wanted) ?? []);
  if (unread.length > 0) throw secretFailure(unread);
  return found;
}

/** How many bytes of values there is still room for. */
type Room = { bytes: number };

type Reading = {
  readonly wanted: WantedSecret;
  readonly openStore: OpenStore;
  readonly isDry: boolean;
  readonly room: Room;
};

async function readSecret(job: Job, reading: Reading): Promise<FoundSecret> {
  const { wanted, openStore, isDry, room } = reading;
  const { name, place, isGenerated, isRequired } = wanted;
  const store = place && openStore(place);
  const there = await store?.read();
  if (there !== undefined) return { wanted, isNew: false, ...usable(job, wanted, { there, room }) };
  if (store !== undefined && isGenerated && !isDry) {
    const made = await make(store, job);
    job.log(`${name} had no value: one was made.`, "info", "read", `made ${name}`);
    return { wanted, isNew: true, ...usable(job, wanted, { there: made, room }) };
  }
  const why = place === undefined ? "the plan does not say where it is" : "it has no value there";
  if (isRequired && (!isGenerated || place === undefined)) throw new SecretFault("not_found", why);
  const so = isGenerated && place !== undefined ? "one would be made" : "nothing is written";
  job.log(`${name}: ${why}, and ${so}.`, "warn", "read", `absent ${name}`);
  return { wanted, value: undefined, version: "", isNew: false };
}

async function make(store: SecretStore, job: Job): Promise<StoredValue> {
  const text = generatedValue();
  job.hide(Buffer.from(text));
  const made = (await store.fill(text)) ?? (await store.read());
  if (made === undefined) throw new SecretFault("not_found", "its value was made, and is gone");
  return made;
}

/** Reads anew what this job has made: somebody else may have made another at the same time. Undefined where it is the same. */
export async function readAgain(
  job: Job,
  { wanted, version }: FoundSecret,
  openStore: OpenStore,
): Promise<FoundSecret | undefined> {
  try {
    const there = wanted.place && (await openStore(wanted.place).read());
    if (there === undefined || there.version === version) return undefined;
    const room = { bytes: mostBytes };
    return { wanted, isNew: true, ...usable(job, wanted, { there, room }) };
  } catch (error) {
    if (job.signal.aborted) throw stopped();
    const so = "The secrets were written, but what was made for one cannot be read again.";
    throw secretFailure([{ what: wanted.name, fault: faultOf(error) }], so);
  }
}

/** Hides a value before it is used, as the store has it and as it is written, if there is room for it. */
function usable(
  job: Job,
  { format }: WantedSecret,
  { there: { value, version }, room }: { readonly there: StoredValue; readonly room: Room },
): Pick<FoundSecret, "value" | "version"> {
  room.bytes -= value.length;
  if (room.bytes < 0)
    throw new SecretFault("too_large", "all values together have more than 256 KiB");
  job.hide(value);
  const bytes = readFormat(value, format);
  if (format !== "default") job.hide(bytes);
  return { value: bytes, version };
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const generatedLength = 44;

/** 44 letters and digits, which are base64 as well: more than 256 bits. */
const generatedValue = (): string =>
  Array.from({ length: generatedLength }, () => letters[randomInt(letters.length)]).join("");

const stopped = (): Error =>
  deployFailure("It was stopped before all secrets were read, and wrote none.", "canceled");
