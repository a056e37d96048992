import { hash } from "node:crypto";
import { mintToken } from "../../shared/token.ts";
import { newId } from "../database/new-id.ts";

/** A login of an install to the registry: what its clusters are told, and what is stored with the job that tells them. */
export type PullLogin = {
  readonly login: { readonly username: string; readonly password: string };
  readonly stored: {
    readonly id: string;
    readonly digest: string;
    readonly install_id: string;
    readonly place: string;
  };
};

/**
 * Makes the login with which a cluster pulls what an install has deployed, whatever that is by then. Of one place, a namespace of a
 * cluster, the former is good for 30 days after the next.
 */
export function makePullLogin(installId: string, place: string): PullLogin {
  const id = newId("rgl");
  const password = mintToken("reg");
  return {
    login: { username: id, password },
    stored: {
      id,
      digest: hash("sha256", password, "hex"),
      install_id: installId,
      place,
    },
  };
}
