const ofComponents = [
  "pre-deploy-component",
  "post-deploy-component",
  "pre-teardown-component",
  "post-teardown-component",
  "pre-enable-component",
  "post-enable-component",
  "pre-disable-component",
  "post-disable-component",
] as const;

/** What begins a run of an action. */
export const actionTriggerTypes = [
  "manual",
  "cron",
  "adhoc",
  "pre-deploy-component",
  "post-deploy-component",
  "pre-teardown-component",
  "post-teardown-component",
  "pre-secrets-sync",
  "post-secrets-sync",
  "pre-provision",
  "post-provision",
  "post-provision-sandbox",
  "pre-reprovision",
  "post-reprovision",
  "pre-deprovision",
  "post-deprovision",
  "pre-deploy-all-components",
  "post-deploy-all-components",
  "pre-teardown-all-components",
  "post-teardown-all-components",
  "pre-deprovision-sandbox",
  "post-deprovision-sandbox",
  "pre-reprovision-sandbox",
  "post-reprovision-sandbox",
  "pre-update-inputs",
  "post-update-inputs",
  "role-enabled",
  "role-disabled",
  "pre-enable-component",
  "post-enable-component",
  "pre-disable-component",
  "post-disable-component",
] as const;

/** Whether this trigger is about one component, which it must name. */
export const isComponentTrigger = (type: string): boolean =>
  (ofComponents as readonly string[]).includes(type);
