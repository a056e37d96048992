/** An ARN of AWS Secrets Manager; what it captures is its region. */
export const awsSecretArn =
  /^arn:aws[a-z-]*:secretsmanager:([a-z0-9-]+):[0-9]{12}:secret:[A-Za-z0-9_/+=.@-]{1,512}$/;

/** A secret of Google's Secret Manager; captures its name without a version, its location and its version. */
export const googleSecretName =
  /^(projects\/[a-z0-9.:-]{1,64}(?:\/locations\/([a-z0-9-]{1,64}))?\/secrets\/[A-Za-z0-9_-]{1,255})(?:\/versions\/([A-Za-z0-9_-]{1,63}))?$/;

/** A secret of an Azure Key Vault of any of Azure's clouds; captures the vaults' domain, its name and its version. */
export const azureSecretId =
  /^https:\/\/[A-Za-z][A-Za-z0-9-]{1,22}[A-Za-z0-9]\.(vault\.azure\.net|vault\.azure\.cn|vault\.usgovcloudapi\.net)\/secrets\/([A-Za-z0-9-]{1,127})(?:\/([0-9a-fA-F]{32}))?\/?$/;
