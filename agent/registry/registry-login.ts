import { z } from "zod";

const word = z.string().nullish();

/** The credentials for a registry in the request to a child. */
export const registryLogin = z.object({
  username: word,
  password: word,
  token: word,
  refreshToken: word,
  tokenServer: word,
});
