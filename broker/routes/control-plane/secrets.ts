import { deleteAppSecretRoute, setAppSecretRoute } from "../../../shared/api/app-secrets.ts";
import {
  deleteInstallSecretRoute,
  setInstallSecretRoute,
  syncInstallSecretsRoute,
} from "../../../shared/api/install-secrets.ts";
import { problem } from "../../../shared/problem.ts";
import { appSecretRows } from "../../app-secrets/app-secret-rows.ts";
import { deleteAppSecret, setAppSecret } from "../../app-secrets/keep-app-secrets.ts";
import { tellThere } from "../../http/answer/tell-there.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { installSecretRows } from "../../install-secrets/install-secret-rows.ts";
import {
  deleteInstallSecret,
  setInstallSecret,
} from "../../install-secrets/keep-install-secrets.ts";
import { syncInstallSecrets } from "../../install-secrets/sync-install-secrets.ts";

/** /v1/apps/{app_id}/secrets */
export const keepAppSecrets: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, appSecretRows);
  app.handle(setAppSecretRoute, async ({ c, actor, params: { app_id: id }, body }) => {
    const { secret, isNew } = tellThere(c, await setAppSecret(broker, actor, id, body));
    return { ...secret, replaced: !isNew };
  });
  app.handle(deleteAppSecretRoute, async ({ orgId, params }) => {
    const { app_id: app, secret_id: id } = params;
    const row = await appSecretRows.find(db, orgId, params);
    if (row === undefined) throw problem.notFound("app secret");
    await deleteAppSecret(db, orgId, { app, id });
    return appSecretRows.toItem(row);
  });
};

/** /v1/installs/{install_id}/secrets, …/sync-secrets */
export const keepInstallSecrets: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, installSecretRows);
  app.handle(setInstallSecretRoute, async ({ actor, params, body }) => {
    const { install_id: install, secret_name: name } = params;
    return await setInstallSecret(db, actor, { install, name }, body);
  });
  app.handle(deleteInstallSecretRoute, async ({ orgId, params }) => {
    const { install_id: install, secret_name: name } = params;
    return await deleteInstallSecret(db, orgId, { install, name });
  });
  app.handle(syncInstallSecretsRoute, async ({ actor, params, body }) => {
    const how = { installId: params.install_id, role: body.role, planOnly: body.plan_only };
    return { workflow_id: await syncInstallSecrets(broker, actor, how) };
  });
};
