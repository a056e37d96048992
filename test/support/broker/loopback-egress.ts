/** Receivers of tests and benches are on the loopback, which a broker calls only when told. */
export const loopbackEgress = { SVC_EGRESS: "internal" } as const;
