import { createSignInLinkRoute } from "../../shared/api/create-sign-in-link.ts";
import { defineCommand } from "../command.ts";

export const openDashboard = defineCommand({
  name: "dashboard",
  summary: "Print a link that signs your browser in to the dashboard, once.",
  details:
    "The first person to press the button on its page within 15 minutes acts with your token's permissions: do not share it.",
  examples: [
    { does: "Print a link.", run: "svc dashboard" },
    { does: "Open it at once.", run: 'xdg-open "$(svc dashboard)"' },
  ],
  run: async ({ connect, call, screen }) => {
    const { url } = await connect();
    const { body } = await call(createSignInLinkRoute, {});
    screen.out(`${url}${body.path}`);
    screen.say("It can be used once, within 15 minutes.");
  },
});
