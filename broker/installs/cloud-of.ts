import type { NewInstall } from "../../shared/api/install.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { type Pointer, problem } from "../../shared/problem.ts";

export type Cloud = {
  readonly platform: "aws" | "azure" | "gcp" | "unknown";
  readonly account: Readonly<Record<string, string>>;
  /** The id of the account that it is meant to be in; empty: of any. */
  readonly expected: string;
};

/** What is expected of each cloud, by the member of a request. */
export const expectedIds = {
  aws: "expected_account_id",
  azure: "expected_subscription_id",
  gcp: "expected_project_id",
} as const;
const platforms = ["aws", "azure", "gcp"] as const;

/** The account that an install is in; 422 for two of them, or one of another cloud than the app's runner. */
export function cloudOf(config: AppConfigDocument, install: NewInstall): Cloud {
  const accounts = platforms.flatMap((platform) => {
    const account = install[`${platform}_account`];
    return account === undefined ? [] : [{ platform, account }];
  });
  const [first, second] = accounts;
  if (second !== undefined)
    throw invalid(`#/${second.platform}_account`, "one_of", "Give at most one account.");
  const wanted = /^(aws|azure|gcp)/.exec(config.runner?.runner_type ?? "")?.[1];
  if (first !== undefined && wanted !== undefined && wanted !== first.platform)
    throw invalid(
      `#/${first.platform}_account`,
      "cloud_mismatch",
      `The app's runner is of ${wanted}: give ${wanted}_account.`,
    );
  const expected = expectedOf(install, first?.platform);
  if (first === undefined) return { platform: "unknown", account: {}, expected };
  return { platform: first.platform, account: readAccount(first.account).place, expected };
}

type Platform = (typeof platforms)[number];

function expectedOf(install: NewInstall, platform: Platform | undefined): string {
  for (const other of platforms)
    if (other !== platform && install[expectedIds[other]] !== undefined)
      throw invalid(
        `#/${expectedIds[other]}`,
        "cloud_mismatch",
        `Give it together with ${other}_account.`,
      );
  if (platform === undefined) return "";
  const told = install[expectedIds[platform]];
  const { id: inAccount } = readAccount(install[`${platform}_account`]);
  if (told !== undefined && inAccount !== undefined && told !== inAccount)
    throw invalid(
      `#/${expectedIds[platform]}`,
      "one_of",
      `It differs from the id in ${platform}_account: give one.`,
    );
  return told ?? inAccount ?? "";
}

/** Where an account is, and whose it is meant to be, where it says so itself. */
function readAccount(account: object = {}): {
  readonly id: string | undefined;
  readonly place: Readonly<Record<string, string>>;
} {
  const {
    account_id: awsId,
    subscription_id: azureId,
    connection_id: _connection,
    ...place
  } = account as Readonly<Record<string, string>>; // as its schema has it
  return { id: awsId ?? azureId, place };
}

const invalid = (pointer: Pointer, code: string, detail: string): Error =>
  problem.invalid([{ pointer, code, detail }]);
