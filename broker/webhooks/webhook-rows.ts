import { webhooks } from "../../shared/api/webhook.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Webhooks as the API shows them, without their secrets. */
export const webhookRows = rowsOf(webhooks, {
  from: ["webhooks w", "w"],
  live: "w.deleted_at is null",
  hasVersion: true,
  besides: {
    webhook_url: "w.url",
    has_secret: "w.secret is not null",
    interests: "w.interests::json", // stored in its one form
    match: "w.match::json",
    previous_secret_until: "case when w.previous_until > svc_now() then w.previous_until end",
    state:
      "case when w.disabled_at is not null then 'disabled' when w.failing_since is not null then 'failing' else 'active' end",
  },
});
