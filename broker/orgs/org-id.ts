/** The id of the org a caller acts in; queries take it first, so that no row of another org is ever read. */
export type OrgId = string & { readonly __brand: "OrgId" };
