import type { Screen } from "../output/screen.ts";

type Enrolment = {
  readonly url: string;
  readonly runner: { readonly id: string; readonly name: string };
  readonly token: { readonly secret: string; readonly expires_at: string | null };
};

/** A flag's value is read by every user of a host: the token goes into a file. */
const tokenFile = "enrolment-token";

/** Shows a new runner, its one-time token, and the lines that keep that in a file and start an agent by it. */
export function showNewRunner(screen: Screen, enrolment: Enrolment): void {
  const { runner, token } = enrolment;
  if (screen.format !== "table") {
    showForPrograms(screen, enrolment);
    return;
  }
  screen.out(`runner  ${runner.id}  ${runner.name}`);
  screen.out(`token   ${token.secret}  (once, until ${token.expires_at ?? "it is used"})`);
  screen.out("\nStart its agent with:");
  screen.out(`  (umask 077 && printf %s ${token.secret} > ${tokenFile})`);
  screen.out(`  ${startLine(enrolment)}`);
}

/** Shows another one-time token of a runner: alone on standard output, the words about it beside. */
export function showEnrolmentToken(screen: Screen, enrolment: Enrolment): void {
  const { runner, token } = enrolment;
  if (screen.format !== "table") {
    showForPrograms(screen, enrolment);
    return;
  }
  const until = token.expires_at ?? "it is used";
  screen.say(`For one agent of ${runner.id}, until ${until}. Save it now: it is not shown again.`);
  screen.out(token.secret);
  screen.say("In a file that no one else can read, it starts the agent with:");
  screen.say(`  ${startLine(enrolment)}`);
}

function showForPrograms(screen: Screen, { runner, token }: Enrolment): void {
  screen.out(
    screen.format === "name" ? runner.id : JSON.stringify({ runner, enrolment_token: token }),
  );
}

const startLine = ({ url }: Enrolment): string =>
  `svc-agent start --broker-url ${url} --token-file ${tokenFile}`;
